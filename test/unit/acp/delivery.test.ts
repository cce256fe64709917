import { describe, expect, it } from 'vitest';
import { Delivery } from '../../../src/adapters/acp/delivery.ts';
import type { AfterWrite } from '../../../src/adapters/acp/outbox.ts';
import { FakeLog } from './support/fake-log.ts';

function open(): {
  delivery: Delivery;
  log: FakeLog;
  sent: string[];
  respond(id: string | number | null, success: boolean): AfterWrite | undefined;
} {
  const log = new FakeLog();
  const delivery = new Delivery(log);
  const sent: string[] = [];
  const respond = (id: string | number | null, success: boolean): AfterWrite | undefined => {
    let hook: AfterWrite | undefined;
    delivery.respond(id, success, (afterWrite) => {
      sent.push(`response ${String(id)}`);
      hook = afterWrite;
    });
    return hook;
  };
  return { delivery, log, sent, respond };
}

describe('Delivery', () => {
  it('S1.200 runs actions once after the write, with the success of the response', () => {
    const { delivery, respond } = open();
    const ran: string[] = [];
    delivery.afterResponse(1, (success) => ran.push(`a ${success}`));
    delivery.afterResponse(1, (success) => ran.push(`b ${success}`));
    delivery.afterResponse(2, (success) => ran.push(`c ${success}`));
    const first = respond(1, true);
    const second = respond(2, false);
    expect(ran).toEqual([]);
    first?.(true);
    second?.(true);
    expect(ran).toEqual(['a true', 'b true', 'c false']);
    expect(respond(1, true)).toBeUndefined();
  });

  it('S1.200 matches ids by JSON type and value', () => {
    const { delivery, respond } = open();
    const ran: string[] = [];
    delivery.afterResponse(7, () => ran.push('number'));
    delivery.afterResponse('7', () => ran.push('text'));
    delivery.afterResponse(null, () => ran.push('null'));
    respond('7', true)?.(true);
    expect(ran).toEqual(['text']);
    respond(null, true)?.(true);
    expect(ran).toEqual(['text', 'null']);
    respond(7, true)?.(true);
    expect(ran).toEqual(['text', 'null', 'number']);
  });

  it('S1.200 runs nothing when the write failed or the connection closed first', () => {
    const { delivery, respond } = open();
    const ran: string[] = [];
    for (const id of [1, 2, 3]) delivery.afterResponse(id, () => ran.push(`${id}`));
    respond(1, true)?.(false);
    const second = respond(2, true);
    delivery.close();
    second?.(true);
    respond(3, true)?.(true);
    delivery.afterResponse(4, () => ran.push('4'));
    respond(4, true)?.(true);
    expect(ran).toEqual([]);
  });

  it('S1.200 a failing action does not keep the others from running', () => {
    const { delivery, log, respond } = open();
    const ran: string[] = [];
    delivery.afterResponse(1, () => {
      throw new Error('bad');
    });
    delivery.afterResponse(1, () => ran.push('second'));
    respond(1, true)?.(true);
    expect(ran).toEqual(['second']);
    expect(log.lines.map(({ level }) => level)).toEqual(['error']);
  });

  it('S1.202 frames of a held session follow the response in order; other sessions pass', () => {
    const { delivery, sent, respond } = open();
    const { gates } = delivery;
    delivery.hold('s', 1);
    expect(gates.isHeld('s')).toBe(true);
    gates.pass('s', () => sent.push('s1'));
    gates.pass('t', () => sent.push('t1'));
    gates.pass('s', () => sent.push('s2'));
    respond(2, true);
    expect(sent).toEqual(['t1', 'response 2']);
    respond(1, true);
    expect(sent).toEqual(['t1', 'response 2', 'response 1', 's1', 's2']);
    expect(gates.isHeld('s')).toBe(false);
    gates.pass('s', () => sent.push('s3'));
    expect(sent.at(-1)).toBe('s3');
  });

  it('S1.202 frames wait for every response that was awaited before them, and for no later one', () => {
    const { delivery, sent, respond } = open();
    delivery.hold('s', 1);
    delivery.gates.pass('s', () => sent.push('a'));
    delivery.hold('s', 2);
    delivery.gates.pass('s', () => sent.push('b'));
    respond(1, true);
    expect(sent).toEqual(['response 1', 'a']);
    respond(2, false);
    expect(sent).toEqual(['response 1', 'a', 'response 2', 'b']);

    delivery.hold('s', 3);
    delivery.gates.pass('s', () => sent.push('c'));
    delivery.hold('s', 4);
    delivery.gates.pass('s', () => sent.push('d'));
    respond(4, true);
    expect(sent.at(-1)).toBe('response 4');
    respond(3, true);
    expect(sent.slice(-3)).toEqual(['response 3', 'c', 'd']);
  });

  it('S1.202 a frame that is made while the gate opens stays behind those that wait', () => {
    const { delivery, sent, respond } = open();
    const { gates } = delivery;
    delivery.hold('s', 1);
    gates.pass('s', () => {
      sent.push('a');
      gates.pass('s', () => sent.push('c'));
    });
    gates.pass('s', () => sent.push('b'));
    respond(1, true);
    expect(sent).toEqual(['response 1', 'a', 'b', 'c']);
    expect(gates.isHeld('s')).toBe(false);
  });

  it('S1.205 a failed set-up publishes nothing; its requests hear that they were not sent', () => {
    const { delivery, sent, respond } = open();
    delivery.hold('s', 1, 'drop');
    delivery.gates.pass('s', () => sent.push('update'));
    delivery.gates.pass(
      's',
      () => sent.push('request'),
      () => sent.push('discarded'),
    );
    respond(1, false);
    expect(sent).toEqual(['response 1', 'discarded']);
    expect(delivery.gates.isHeld('s')).toBe(false);

    delivery.hold('t', 2, 'drop');
    delivery.gates.pass('t', () => sent.push('t'));
    respond(2, true);
    expect(sent.at(-1)).toBe('t');

    delivery.hold('u', 3);
    delivery.gates.pass(
      'u',
      () => sent.push('u'),
      () => sent.push('u discarded'),
    );
    delivery.drop('u');
    respond(3, false);
    expect(sent.slice(-2)).toEqual(['u discarded', 'response 3']);
  });

  it('S1.205 a session that closes drops the requests that wait and keeps earlier updates', () => {
    const { delivery, sent, respond } = open();
    delivery.hold('s', 1);
    delivery.gates.pass('s', () => sent.push('update'));
    delivery.gates.pass(
      's',
      () => sent.push('request'),
      () => sent.push('discarded'),
    );
    delivery.gates.dropRequests('s');
    respond(1, true);
    expect(sent).toEqual(['discarded', 'response 1', 'update']);
  });

  it('S1.234 closing the connection sends nothing and tells every request that waits', () => {
    const { delivery, sent, respond } = open();
    delivery.hold('s', 1);
    delivery.gates.pass('s', () => sent.push('update'));
    delivery.gates.pass(
      's',
      () => sent.push('request'),
      () => sent.push('discarded'),
    );
    delivery.close();
    respond(1, true);
    expect(sent).toEqual(['discarded', 'response 1']);
  });
});
