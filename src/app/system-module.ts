import { ContainerModule } from 'inversify';
import { RandomIds } from '../adapters/system/random-ids.ts';
import { SystemClock } from '../adapters/system/system-clock.ts';
import { SystemScheduler } from '../adapters/system/system-scheduler.ts';
import { Clock, Ids, Log, Scheduler } from '../ports/outbound/system.ts';

/** Clock, timers and ids of the machine; the log is made before everything else. */
export function systemModule(log: Log): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(Log).toConstantValue(log);
    bind(Clock)
      .toResolvedValue(() => new SystemClock())
      .inSingletonScope();
    bind(Scheduler)
      .toResolvedValue(() => new SystemScheduler())
      .inSingletonScope();
    bind(Ids)
      .toResolvedValue(() => new RandomIds())
      .inSingletonScope();
  });
}
