import type { Job } from '../model.js';

/**
 * A client that comes back reads the changes since it left, the objects that it has made itself,
 * and the page that it shows. JMAP has it in one request; routes take one after the other, each on
 * the same connection. The job counts sessions.
 */
export function session(
  todo: { readonly text: string; readonly done: boolean },
  middle: (ids: readonly string[], count: number) => readonly string[],
  nth: (ids: readonly string[], n: number) => string,
): Job {
  return {
    name: 'a sync session',
    needs: ['small', 'scratch'],
    objects: 20 + 1 + 1 + 50 + 10,
    jmap: ({ small, scratch }, n) => {
      const accountId = small.id;
      const of = (resultOf: string, name: string, path: string) => ({ resultOf, name, path });
      const since = { accountId, sinceState: small.halfway, maxChanges: 20 };
      const page = {
        accountId,
        filter: { done: false },
        sort: [{ property: 'created', isAscending: false }],
        limit: 50,
      };
      const written = {
        accountId: scratch.id,
        create: { k: todo },
        update: { [nth(scratch.ids, n)]: { text: `Session ${n}` } },
      };
      return [
        ['Todo/changes', since, '0'],
        ['Todo/get', { accountId, '#ids': of('0', 'Todo/changes', '/created') }, '1'],
        ['Todo/get', { accountId, '#ids': of('0', 'Todo/changes', '/updated') }, '2'],
        ['Todo/set', written, '3'],
        ['Todo/query', page, '4'],
        ['Todo/get', { accountId, '#ids': of('4', 'Todo/query', '/ids') }, '5'],
        ['Todo/get', { accountId, ids: middle(small.ids, 10) }, '6'],
      ];
    },
    byRoutes: ({ small, scratch }, n) => {
      const todos = `/accounts/${small.id}/todos`;
      const own = `/accounts/${scratch.id}/todos`;
      return [
        { method: 'GET', path: `${todos}/changes?since=${small.halfway}&limit=20` },
        { method: 'POST', path: own, body: todo },
        {
          method: 'PATCH',
          path: `${own}/${nth(scratch.ids, n)}`,
          body: { text: `Session ${n}` },
        },
        { method: 'GET', path: `${todos}?done=false&sort=-created&limit=50` },
        { method: 'GET', path: `${todos}?ids=${middle(small.ids, 10).join(',')}` },
      ];
    },
  };
}
