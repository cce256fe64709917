import { describe, expect, it } from 'vitest';
import {
  isApprovalMethod,
  refusalOf,
  translateRequest,
  unsupportedAnswer,
  wireAnswer,
} from '../../../src/adapters/codex-app-server/translate-request.ts';

const IDS = { turnId: 'turn', itemId: 'item' };
const COMMAND = 'item/commandExecution/requestApproval';
const FILES = 'item/fileChange/requestApproval';

describe('requests of Codex in the words of the core', () => {
  it('S5.41 a command approval with everything', () => {
    const additionalPermissions = { network: { enabled: true }, fileSystem: null };
    expect(
      translateRequest(COMMAND, {
        kind: 'humanCommand',
        threadId: 't',
        ...IDS,
        startedAtMs: 1,
        approvalId: 'a',
        environmentId: 'e',
        reason: 'why',
        networkApprovalContext: { host: 'h', protocol: 'https' },
        command: 'curl h',
        cwd: '/w',
        commandActions: [{ type: 'unknown', command: 'curl h' }],
        additionalPermissions,
        proposedExecpolicyAmendment: ['curl'],
        proposedNetworkPolicyAmendments: [{ host: 'h', action: 'allow' }],
        availableDecisions: ['accept', { future: 1 }],
      }),
    ).toEqual({
      type: 'commandApproval',
      ...IDS,
      approvalId: 'a',
      kind: 'humanCommand',
      reason: 'why',
      command: 'curl h',
      cwd: '/w',
      environmentId: 'e',
      actions: [{ type: 'unknown', command: 'curl h' }],
      network: { host: 'h', protocol: 'https' },
      additionalPermissions,
      proposedExecpolicyAmendment: ['curl'],
      proposedNetworkAmendments: [{ host: 'h', action: 'allow' }],
      availableDecisions: ['accept', { future: 1 }],
    });
  });

  it('S5.41 a command approval with the least', () => {
    expect(translateRequest(COMMAND, { threadId: 't', ...IDS })).toEqual({
      type: 'commandApproval',
      ...IDS,
      approvalId: null,
      kind: 'command',
      reason: null,
      command: null,
      cwd: null,
      environmentId: null,
      actions: [],
      network: null,
      additionalPermissions: null,
      proposedExecpolicyAmendment: null,
      proposedNetworkAmendments: [],
      availableDecisions: null,
    });
  });

  it('S5.16 a file change approval and the questions that are refused', () => {
    expect(translateRequest(FILES, { ...IDS, grantRoot: '/w' })).toEqual({
      type: 'fileChangeApproval',
      ...IDS,
      reason: null,
      grantRoot: '/w',
    });
    expect(translateRequest('item/permissions/requestApproval', IDS)).toEqual({ type: 'permissions', turnId: 'turn' });
    expect(translateRequest('mcpServer/elicitation/request', {})).toEqual({ type: 'elicitation', turnId: null });
    expect(translateRequest('item/tool/requestUserInput', IDS)).toEqual({ type: 'userInput', turnId: 'turn' });
  });

  it('S5.16 malformed requests are none', () => {
    for (const params of [undefined, {}, { turnId: 'turn' }, { ...IDS, commandActions: 5 }]) {
      expect(translateRequest(COMMAND, params)).toBeNull();
    }
    expect(translateRequest(FILES, { itemId: 'item' })).toBeNull();
  });

  it('S5.7 every method has its refusing value', () => {
    const refusals = [
      COMMAND,
      FILES,
      'item/permissions/requestApproval',
      'mcpServer/elicitation/request',
      'item/tool/requestUserInput',
    ].map((method) => (isApprovalMethod(method) ? wireAnswer(refusalOf(method)) : null));
    expect(refusals).toEqual([
      { decision: 'cancel' },
      { decision: 'cancel' },
      { permissions: {}, scope: 'turn', strictAutoReview: false },
      { action: 'cancel', content: null, _meta: null },
      { answers: {} },
    ]);
  });

  it('S5.47 decisions go to Codex as they are', () => {
    const decision = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['git', 'push'] } };
    expect(wireAnswer({ type: 'commandApproval', decision })).toEqual({ decision });
    expect(wireAnswer({ type: 'fileChangeApproval', decision: 'acceptForSession' })).toEqual({
      decision: 'acceptForSession',
    });
  });

  it('S5.5 answers to methods that are not supported', () => {
    expect(unsupportedAnswer('item/tool/call')).toEqual({
      contentItems: [{ type: 'inputText', text: 'Dynamic tools are not supported by this client.' }],
      success: false,
    });
    const denied = { decision: { denied: { rejection: 'Approval requests of this kind are not supported.' } } };
    expect(unsupportedAnswer('applyPatchApproval')).toEqual(denied);
    expect(unsupportedAnswer('execCommandApproval')).toEqual(denied);
    for (const method of ['attestation/generate', 'account/chatgptAuthTokens/refresh', 'currentTime/read', 'x']) {
      expect(unsupportedAnswer(method)).toBeUndefined();
    }
  });
});
