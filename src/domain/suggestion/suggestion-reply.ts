import { jsonObject } from '../json/json-object.ts';
import { longestSuggestion } from './suggestion-prompt.ts';

const fenced = /^```(?:json)?(?<json>[\s\S]*)```$/i;
const lineBreak = /[\n\v\f\r\u0085\u2028\u2029]/;

/**
 * The suggestion of a reply `{"suggestion": string | null}`, also in a code fence. `null` for anything else, and for a
 * text that is empty, has several lines or is too long: the model is not trusted (S3.194, S3.195).
 */
export function suggestionOf(reply: string | null): string | null {
  const suggestion = jsonObject(parsed(reply ?? ''))?.['suggestion'];
  if (typeof suggestion !== 'string') return null;
  const text = suggestion.trim();
  return text === '' || text.length > longestSuggestion || lineBreak.test(text) ? null : text;
}

function parsed(reply: string): unknown {
  const text = reply.trim();
  try {
    return JSON.parse(fenced.exec(text)?.groups?.['json'] ?? text);
  } catch {
    return null;
  }
}
