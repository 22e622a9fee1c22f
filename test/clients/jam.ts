import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Todo, TodoCreate, TodoFilter, TodoPatch } from '../../generated/todos/Todo.types.js';
import { SAMPLES } from '../docs/samples.js';
import { ROOT } from '../support/server.js';
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
 * Runs the code that docs/clients.md shows, from a folder of its own. It is not part of this
 * project's program: the library's types are TypeScript sources that this project's compiler
 * options refuse. test/docs compiles it.
 */
export async function loadJam(): Promise<OpenJam> {
  const sample = SAMPLES.find(({ words }) => words === 'client/jam.ts');
  if (sample === undefined) throw new Error('docs/clients.md shows client/jam.ts.');
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-jam-'));
  try {
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const file = join(folder, 'jam.ts');
    await writeFile(file, sample.text);
    return ((await import(pathToFileURL(file).href)) as { readonly openJam: OpenJam }).openJam;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
