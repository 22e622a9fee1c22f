import type {
  Todo,
  TodoCreate,
  TodoFilter,
  TodoPatch,
} from '../../generated/todos/Todo.definition.js';
import type { Jam } from '../tutorial/jam.js';
import type { ChangesAnswer, GetAnswer, QueryAnswer, SetAnswer } from './answers.js';

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

type OpenJam = (url: string, bearerToken: string) => { readonly jam: Jam; readonly api: Api };

/**
 * Loads open-jam.mjs, which is not part of this project's program: the library's types are
 * TypeScript sources that this project's compiler options refuse.
 */
export async function loadJam(): Promise<OpenJam> {
  const file = new URL('open-jam.mjs', import.meta.url);
  return ((await import(file.href)) as { readonly openJam: OpenJam }).openJam;
}
