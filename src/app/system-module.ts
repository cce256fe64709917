import { ContainerModule } from 'inversify';
import { SystemBrowser } from '../adapters/system/browser.ts';
import { createErrorOutput } from '../adapters/system/error-output.ts';
import { RandomIds } from '../adapters/system/random-ids.ts';
import { SystemClock } from '../adapters/system/system-clock.ts';
import { SystemScheduler } from '../adapters/system/system-scheduler.ts';
import { SystemWorkspaceFiles } from '../adapters/system/workspace-files.ts';
import { Browser, Clock, Ids, Log, Scheduler, Terminal } from '../ports/outbound/system.ts';
import { WorkspaceFiles } from '../ports/outbound/workspace-files.ts';

/** Clock, timers, ids, files, browser and terminal of the machine; the log is made before everything else. */
export function systemModule(log: Log): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(Log).toConstantValue(log);
    bind(Clock)
      .toResolvedValue(() => new SystemClock())
      .inSingletonScope();
    bind(Scheduler)
      .toResolvedValue(() => new SystemScheduler())
      .inSingletonScope();
    bind(Browser)
      .toResolvedValue((scheduler: Scheduler) => new SystemBrowser(scheduler), [Scheduler])
      .inSingletonScope();
    bind(Terminal)
      .toResolvedValue(() => {
        const write = createErrorOutput();
        return { tell: (text: string) => write(text) };
      })
      .inSingletonScope();
    bind(Ids)
      .toResolvedValue(() => new RandomIds())
      .inSingletonScope();
    bind(WorkspaceFiles)
      .toResolvedValue(() => new SystemWorkspaceFiles())
      .inSingletonScope();
  });
}
