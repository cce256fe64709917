import { jsonObject } from '../json/json-object.ts';

const requestIdForm = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * The id under which a prompt asks for a file-change report, from the `_meta` of the prompt; `null` when it asks for
 * none. What is not exactly `{version: 1, requestId}` is ignored (S3.196).
 */
export function reportRequestId(meta: unknown): string | null {
  const air = jsonObject(jsonObject(jsonObject(meta)?.jetbrains)?.air);
  const request = jsonObject(air?.agentFileChangeReportRequest);
  if (request === null || Object.keys(request).length !== 2 || request.version !== 1) return null;
  const { requestId } = request;
  return typeof requestId === 'string' && requestIdForm.test(requestId) ? requestId : null;
}
