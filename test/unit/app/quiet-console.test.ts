import { expect, test } from 'vitest';
import { quietConsole } from '../../../src/app/quiet-console.ts';
import { silentLog } from '../../support/session-lab.ts';

test('S1.35 S1.40 what dependencies print goes to the log', () => {
  const logged: string[] = [];
  const target = { ...console };
  quietConsole({ ...silentLog, warn: (message) => logged.push(message) }, target);
  target.log('to stdout', 1);
  target.error('to stderr %s', 'x');
  expect(logged).toEqual(['to stdout 1', 'to stderr x']);
});
