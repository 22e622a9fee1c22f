import { arrayIndex, unescapeToken } from '../../../src/protocol/json-pointer.js';

/**
 * Returns where the path of a reference leads in an answer (RFC 8620 3.7), undefined where it leads
 * nowhere. `src/protocol/result-references.ts` does the same for the server, which has to bound its
 * work and explain itself; a test compares the two.
 */
export function followPath(answer: unknown, path: string): unknown {
  return followTokens(answer, path.split('/').slice(1).map(unescapeToken));
}

function followTokens(value: unknown, tokens: readonly string[]): unknown {
  const [token, ...further] = tokens;
  if (token === undefined || value === undefined) return value;
  if (token !== '*' || !Array.isArray(value)) {
    const has = typeof value === 'object' && value !== null && Object.hasOwn(value, token);
    const isItem = !Array.isArray(value) || arrayIndex(token) !== null;
    return has && isItem
      ? followTokens((value as Record<string, unknown>)[token], further)
      : undefined;
  }
  const found = value.map((item) => followTokens(item, further));
  return found.includes(undefined) ? undefined : found.flat();
}
