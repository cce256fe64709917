import { expect, it } from 'vitest';
import { reportRequestId } from '../../../src/domain/report/report-request.ts';

const meta = (request: unknown) => ({ jetbrains: { air: { version: 1, agentFileChangeReportRequest: request } } });

it.each(['req-1', 'A.b_c:d-9', 'x'.repeat(128)])('S3.196 a prompt asks with the id %s', (requestId) => {
  expect(reportRequestId(meta({ version: 1, requestId }))).toBe(requestId);
  expect(reportRequestId({ other: 1, ...meta({ requestId, version: 1 }) })).toBe(requestId);
});

it.each([
  ['no request', undefined],
  ['null', null],
  ['a text', 'req-1'],
  ['a list', [1, 'req-1']],
  ['no version', { requestId: 'r' }],
  ['another version', { version: 2, requestId: 'r' }],
  ['a version as text', { version: '1', requestId: 'r' }],
  ['no id', { version: 1 }],
  ['an empty id', { version: 1, requestId: '' }],
  ['an id that is a number', { version: 1, requestId: 1 }],
  ['an id of 129 characters', { version: 1, requestId: 'x'.repeat(129) }],
  ['a space in the id', { version: 1, requestId: 'a b' }],
  ['a line break after the id', { version: 1, requestId: 'a\n' }],
  ['a letter that is not ASCII', { version: 1, requestId: 'é' }],
  ['one member more', { version: 1, requestId: 'r', paths: [] }],
])('S3.196 ignores a request with %s', (_name, request) => {
  expect(reportRequestId(meta(request))).toBeNull();
});

it.each([undefined, null, 'text', [], {}, { jetbrains: null }, { jetbrains: { air: [] } }])(
  'S3.196 a prompt with the metadata %j asks for nothing',
  (value) => {
    expect(reportRequestId(value)).toBeNull();
  },
);
