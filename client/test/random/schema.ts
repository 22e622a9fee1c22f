import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/protocol/json.js';
import { onceInRun } from '../../../test/support/once-in-run.js';
import { copyProject } from '../../../test/support/project.js';
import { sharedProject } from '../../../test/support/shared-project.js';
import type * as jmap from '../../src/index.js';

/** The types that the random clients use, of test/conformance/gadget.yaml and hooks/ledger.yaml. */
export const TYPE_NAMES = ['Gadget', 'Book', 'Line', 'Post'] as const;

export type TypeName = (typeof TYPE_NAMES)[number];

export const GADGETS = 'https://example.com/jmap/gadgets';
export const LEDGER = 'https://example.com/jmap/ledger';

/** All types look alike to the test: JSON with an id. */
export interface AnyShape {
  readonly name: string;
  readonly object: JsonObject & { readonly id: string };
  readonly create: JsonObject;
  readonly update: JsonObject;
  readonly patch: JsonObject;
  readonly filter: JsonObject;
  readonly sort: jmap.Comparator<string>;
  readonly error: { readonly type: string };
}

export type AnyMethods<Name extends string, M extends jmap.Mode> = Readonly<
  Record<Name, jmap.Get<AnyShape, M> & jmap.SetMethod<AnyShape, M> & jmap.Query<AnyShape, M>>
>;

export interface RandomProject {
  readonly alone: AnyMethods<TypeName, 'alone'>;
  readonly batch: AnyMethods<TypeName, 'batch'>;
}

export type RandomClient = jmap.CachedClient<RandomProject>;
export type AnyRow = jmap.Row<AnyShape>;
export type AnyWrite = jmap.Write<AnyShape>;
export type AnyCreate = jmap.Write<AnyShape, AnyRow>;
export type RandomSchema = jmap.Schema<RandomProject>;

/** Returns the schema that the generator has written in a project. */
export async function loadSchema(root: string): Promise<RandomSchema> {
  const types = await Promise.all(
    TYPE_NAMES.map(async (name): Promise<jmap.TypeTable> => {
      const file = join(root, 'generated/client', `${name}.ts`);
      const module = (await import(file)) as Readonly<Record<string, jmap.TypeTable>>;
      const table = module[`${name.toLowerCase()}Table`];
      if (table === undefined) throw new Error(`${file} has no table.`);
      return table;
    }),
  );
  return { types, groups: [] };
}

/** Returns the root of the project that servers of the test serve. */
export function makeProject(): Promise<string> {
  return sharedProject();
}

/** As access rules have it: who may write a gadget may share it no further. */
const SHARE = `    share:
      rights: { mayRead: See it., mayWrite: Change it. }
      read: mayRead
      update: mayWrite
      destroy: mayWrite
`;

/** Returns the root of a project whose gadgets users share. */
export function makeSharing(): Promise<string> {
  return makeOther('random-shares', (text) =>
    text.replace(/( {4}required: \[title\]\n)( {4}filter:)/, `$1${SHARE}$2`),
  );
}

/** The property that the Gadget of a later release has. */
export const LATER = 'shade';

/** Returns the root of a later release, whose Gadget has a property more. */
export async function makeRelease(): Promise<string> {
  const property = `      ${LATER}: { type: string, maxLength: 20, default: grey }\n      rank:`;
  return makeOther('random-release', (text) => text.replace('      rank:', property));
}

/** Returns the root of the project with another Gadget. */
async function makeOther(name: string, edit: (descriptor: string) => string): Promise<string> {
  const built = await sharedProject();
  return onceInRun(name, async (folder) => {
    const { root, npm } = await copyProject([], { built, folder: join(folder, 'project') });
    const file = join(root, 'capabilities/gadget.yaml');
    const text = await readFile(file, 'utf8');
    const edited = edit(text);
    if (edited === text) throw new Error('The Gadget is another one.');
    await writeFile(file, edited);
    for (const script of ['generate', 'build']) {
      const { code, stdout, stderr } = await npm(script);
      if (code !== 0)
        throw new Error(`npm run ${script} ended with ${code}:\n${stdout}\n${stderr}`);
    }
    return root;
  });
}
