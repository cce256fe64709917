import { EventEmitter } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { SystemBrowser } from '../../../src/adapters/system/browser.ts';

function setUp() {
  const opener = Object.assign(new EventEmitter(), { exitCode: null as number | null });
  const timers: (() => void)[] = [];
  const scheduler = {
    after: (_ms: number, action: () => void) => {
      timers.push(action);
      return () => {};
    },
  };
  const launch = vi.fn(async (_url: string) => opener);
  return { opener, launch, timers, browser: new SystemBrowser(scheduler, launch) };
}

const launched = () => new Promise((resolve) => setImmediate(resolve));

describe('S1.161 opening the browser', () => {
  test('ends when the opener is done', async () => {
    const { browser, opener, launch } = setUp();
    const opened = browser.open('https://auth.example/?a=b');
    await launched();
    opener.emit('exit', 0);
    await opened;
    expect(launch).toHaveBeenCalledWith('https://auth.example/?a=b');
  });

  test('ends when the opener turned out to be the browser itself', async () => {
    const { browser, timers } = setUp();
    const opened = browser.open('https://auth.example/');
    await launched();
    for (const action of timers) action();
    await opened;
  });

  test('an opener that was done before we looked counts', async () => {
    const { browser, opener } = setUp();
    opener.exitCode = 0;
    await browser.open('https://auth.example/');
  });
});

describe('S1.163 a browser that cannot be opened is an error', () => {
  test('without an opener', async () => {
    const { browser, launch } = setUp();
    launch.mockRejectedValue(new Error('spawn xdg-open ENOENT'));
    await expect(browser.open('https://auth.example/')).rejects.toThrow(
      'The browser could not be opened: spawn xdg-open ENOENT',
    );
  });

  test('with an opener that finds no browser', async () => {
    const { browser, opener } = setUp();
    const opened = browser.open('https://auth.example/');
    await launched();
    opener.emit('exit', 3);
    await expect(opened).rejects.toThrow('The browser could not be opened: the opener ended with code 3');
  });

  test('with an opener that fails later', async () => {
    const { browser, opener } = setUp();
    const opened = browser.open('https://auth.example/');
    await launched();
    opener.emit('error', new Error('EIO'));
    await expect(opened).rejects.toThrow('The browser could not be opened: EIO');
  });

  test.each(['file:///etc/passwd', 'calc.exe', 'javascript:0'])('for %s', async (address) => {
    const { browser, launch } = setUp();
    await expect(browser.open(address)).rejects.toThrow('Only http and https');
    expect(launch).not.toHaveBeenCalled();
  });
});
