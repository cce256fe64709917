import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import type { RelayCommand, RelayReport } from './relay-codex.ts';

/*
 * The program behind `CODEX_PATH` of `relay-codex.ts`, started by the agent as `<program> app-server …`. It decides
 * nothing: every line that it reads goes to the test over a socket, and it does what the test says. When the test is gone
 * it ends, and Codex with it.
 */

declare const RELAY_PORT: number;

const control = connect(RELAY_PORT, '127.0.0.1');
let codex: ChildProcess | null = null;

function report(message: RelayReport): void {
  control.write(`${JSON.stringify(message)}\n`);
}

function eachLine(take: (line: string) => void): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  };
}

function run(command: RelayCommand): void {
  switch (command.type) {
    case 'start':
      return start(command.command, command.args);
    case 'line':
      if (command.to === 'agent') process.stdout.write(`${command.text}\n`);
      else codex?.stdin?.write(`${command.text}\n`);
      return;
    case 'endCodex':
      codex?.stdin?.end();
      return;
    case 'stderr':
      process.stderr.write(command.text);
      return;
    case 'ignoreTermination':
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
      report({ type: 'ignoring' });
      return;
    case 'exit':
      // Both pipes first, so that the agent reads what was said before the end.
      process.stderr.write('', () =>
        process.stdout.write('', () => {
          if (command.signal === null) process.exit(command.code ?? 0);
          process.kill(process.pid, command.signal);
        }),
      );
  }
}

function start(command: string, args: readonly string[]): void {
  const child = spawn(command, [...args, ...process.argv.slice(2)], { stdio: ['pipe', 'pipe', 'inherit'] });
  codex = child;
  child.stdin.on('error', () => undefined);
  child.stdout.setEncoding('utf8').on(
    'data',
    eachLine((text) => report({ type: 'line', from: 'codex', text })),
  );
  child.on('close', (code, signal) => report({ type: 'codexEnded', code, signal }));
  report({ type: 'codexStarted', pid: child.pid ?? 0 });
}

control.on('error', () => undefined);
control.on('close', () => {
  codex?.kill('SIGKILL');
  process.exit(0);
});
control.setEncoding('utf8').on(
  'data',
  eachLine((line) => run(JSON.parse(line) as RelayCommand)),
);
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
report({ type: 'started', pid: process.pid, args: process.argv.slice(2) });
process.stdin.setEncoding('utf8').on(
  'data',
  eachLine((text) => report({ type: 'line', from: 'agent', text })),
);
process.stdin.on('end', () => report({ type: 'inputEnded' }));
