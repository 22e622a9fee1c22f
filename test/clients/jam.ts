import type { Todo, TodoCreate, TodoFilter, TodoPatch } from '../../generated/todos/Todo.types.js';
import { type Jam, JamClient } from '../tutorial/jam.js';
import type { ChangesAnswer, GetAnswer, QueryAnswer, SetAnswer } from './answers.js';

// docs/clients.md shows what stands between these lines.
// <docs>
/** What is called here, by the types that `npm run generate` wrote. */
interface Api {
  readonly Todo: {
    get(args: { accountId: string; ids: string[] | null }): Promise<[GetAnswer<Todo>, object]>;
    set(args: {
      accountId: string;
      ifInState?: string;
      create?: Record<string, TodoCreate>;
      update?: Record<string, TodoPatch>;
      destroy?: string[];
    }): Promise<[SetAnswer<Todo>, object]>;
    query(args: { accountId: string; filter?: TodoFilter }): Promise<[QueryAnswer, object]>;
    changes(args: { accountId: string; sinceState: string }): Promise<[ChangesAnswer, object]>;
  };
}

export function openJam(url: string, bearerToken: string) {
  const jam = new JamClient({
    sessionUrl: `${url}/.well-known/jmap`,
    bearerToken,
    // It knows the types of mail: of others it must be told which capability has them.
    customCapabilities: {
      Todo: 'urn:example:todos',
      Gadget: 'https://example.com/jmap/gadgets',
      Blob: 'urn:ietf:params:jmap:blob',
    },
  });
  return { jam, api: jam.api as Api };
}
// </docs>

export type { Jam };
