import { USING } from '../fill.js';
import type { Call } from '../model.js';

export type Ask = (...calls: readonly Call[]) => Promise<readonly Answer[]>;
type Answer = readonly [name: string, content: Record<string, unknown>, callId: string];

/** Objects stored by a request. */
const BATCH = 1000;

/** Returns a function that sends calls by the user of a token. Throws where one fails. */
export function makeAsk(url: string, token: string): Ask {
  return async (...methodCalls) => {
    const response = await fetch(`${url}/jmap`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ using: USING, methodCalls }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`The server answered ${response.status}: ${text}`);
    const { methodResponses } = JSON.parse(text) as { methodResponses: readonly Answer[] };
    for (const [name, content] of methodResponses)
      if (name === 'error') throw new Error(`A call failed: ${JSON.stringify(content)}`);
    return methodResponses;
  };
}

/** Creates objects of a type, `objectOf` of each number below `count`. Resolves to their ids. */
export async function createObjects(
  ask: Ask,
  { type, accountId, count }: { type: string; accountId: string; count: number },
  objectOf: (n: number) => object,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let first = 0; first < count; first += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count - first) }, (_, n) => first + n);
    const create = Object.fromEntries(numbers.map((n) => [`k${n}`, objectOf(n)]));
    const [answer] = await ask([`${type}/set`, { accountId, create }, '0']);
    const created = (answer?.[1]['created'] ?? {}) as Record<string, { id: string }>;
    for (const n of numbers) {
      const object = created[`k${n}`];
      if (object === undefined) throw new Error(`An object was refused: ${JSON.stringify(answer)}`);
      ids.push(object.id);
    }
  }
  return ids;
}
