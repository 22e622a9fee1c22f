import { posix } from 'node:path';
import { LOCAL, mapReferring, referring } from './definition-references.js';
import { titleOf } from './expand.js';
import {
  changeMember,
  type Located,
  type Member,
  member,
  members,
  rebuilt,
  text,
} from './located.js';
import type { Location, Problem } from './model.js';
import type { Parsed } from './parse.js';

/** The folder of files whose definitions several descriptors use, beside the descriptors. */
const SHARED_FOLDER = 'shared';

/** `shared/address.yaml#/Address`: a file relative to this one, and a definition in it. */
const REFERENCE = /^([^#]*)#\/([^/]+)$/;
const EXTENSION = /\.(?:yaml|yml|json)$/i;

/** Reads and parses a file by its path from the project's root; undefined where it isn't there. */
export type ReadShared = (file: string) => Parsed | undefined;

/** A definition of a shared file. */
interface Target {
  /** From the project's root. */
  readonly file: string;
  readonly name: string;
}

/**
 * Returns a descriptor with the definitions of shared files that it uses among its own `$defs`, so
 * that all other parts know references to `$defs` alone. Their nodes keep their places in the
 * shared files.
 */
export function withShared(
  file: string,
  root: Located,
  read: ReadShared,
): { readonly root: Located; readonly problems: readonly Problem[] } {
  if (!referring(root).some((node) => isForeign(referenceOf(node)))) return { root, problems: [] };
  const shared = new SharedDefinitions(file, root, read);
  const own = shared.localize(file, root);
  shared.addAll();
  return { root: withDefinitions(own, shared.definitions), problems: shared.problems };
}

/** Returns the name of the module of a shared file's types: `address` for `shared/address.yaml`. */
export function sharedModule(file: string): string {
  const path = file.split('/').slice(2).join('/');
  return path.replace(EXTENSION, '');
}

/** Gathers the definitions that a descriptor uses, and those that they use. */
class SharedDefinitions {
  readonly #descriptor: string;
  readonly #read: ReadShared;
  /** By TypeScript name, where it comes from. */
  readonly #titles = new Map<string, string>();
  readonly #waiting: Target[] = [];
  readonly #known = new Set<string>();
  readonly #files = new Map<string, Located | undefined>();
  readonly definitions: Member[] = [];
  readonly problems: Problem[] = [];

  constructor(descriptor: string, root: Located, read: ReadShared) {
    this.#descriptor = descriptor;
    this.#read = read;
    for (const { name } of members(member(root, '$defs')))
      this.#titles.set(titleOf(name), descriptor);
  }

  /** Returns a node of a file with references to `$defs` in the place of those to files. */
  localize(file: string, node: Located): Located {
    return mapReferring(node, (schema) => {
      const reference = referenceOf(schema);
      const isOwn = file === this.#descriptor && !isForeign(reference);
      const target = isOwn ? undefined : this.#find(file, reference, schema);
      return target === undefined ? schema : withReference(schema, `${LOCAL}${target.name}`);
    });
  }

  /** Adds the definitions that are referred to, until none is missing. */
  addAll(): void {
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      const { file, name } = next;
      const found = this.#open(file)?.members?.get(name);
      if (found === undefined) continue;
      const node = { ...this.localize(file, found.node), sharedFile: file };
      this.definitions.push({ ...found, node });
    }
  }

  /** Finds the definition that a reference names, and notes that it is needed. */
  #find(file: string, reference: string, schema: Located): Target | undefined {
    const at = member(schema, '$ref')?.at ?? schema.at;
    const complain = (message: string): undefined => {
      this.problems.push({ at, code: 'unknown-definition', message });
      return undefined;
    };
    const [, path = '', name = ''] = REFERENCE.exec(reference) ?? [];
    const target = path === '' ? file : posix.join(posix.dirname(file), path);
    const folder = `${posix.dirname(this.#descriptor)}/${SHARED_FOLDER}/`;
    if (name === '' || !target.startsWith(folder) || !EXTENSION.test(target))
      return complain(
        `"${reference}" names no definition of a file in ${folder}: write ` +
          `$ref: ${SHARED_FOLDER}/address.yaml#/Address, as seen from the file.`,
      );
    const root = this.#open(target);
    if (root === undefined) return complain(`"${reference}": there is no readable file ${target}.`);
    if (!root.members?.has(name))
      return complain(
        `"${reference}": ${target} has no "${name}". ` +
          `It has ${[...(root.members?.keys() ?? [])].join(', ') || 'none'}.`,
      );
    return this.#need({ file: target, name }, at, reference);
  }

  /** Notes that a definition is needed, and reports one whose name another one has. */
  #need(target: Target, at: Location, reference: string): Target {
    const { file, name } = target;
    const key = `${file}#${name}`;
    if (this.#known.has(key)) return target;
    this.#known.add(key);
    const other = this.#titles.get(titleOf(name));
    if (other === undefined) {
      this.#titles.set(titleOf(name), file);
      this.#waiting.push(target);
      return target;
    }
    this.problems.push({
      at,
      code: 'bad-definition-name',
      message:
        `"${reference}" and a definition of ${other} would both be the TypeScript type ` +
        `${titleOf(name)} here: rename one of them.`,
    });
    return target;
  }

  /** Returns the definitions of a file, each a member. */
  #open(file: string): Located | undefined {
    if (!this.#files.has(file)) {
      const parsed = this.#read(file);
      this.problems.push(...(parsed?.problems ?? []));
      this.#files.set(file, parsed?.root);
    }
    return this.#files.get(file);
  }
}

function referenceOf(node: Located): string {
  return text(member(node, '$ref')) ?? '';
}

/** Returns whether a reference names a file. */
function isForeign(reference: string): boolean {
  return REFERENCE.test(reference) && !reference.startsWith('#');
}

/** Returns a schema with another `$ref`. */
function withReference(schema: Located, reference: string): Located {
  return changeMember(schema, '$ref', (node) => ({ ...node, value: reference }));
}

/** Returns a descriptor with more definitions. */
function withDefinitions(root: Located, more: readonly Member[]): Located {
  const own = root.members?.get('$defs');
  const there = members(own?.node);
  const added = more.filter(({ name }) => !there.some((each) => each.name === name));
  const empty = { at: own?.node.at ?? root.at, value: {}, members: new Map() };
  const node = rebuilt(empty, [...there, ...added]);
  if (own !== undefined) return changeMember(root, '$defs', () => node);
  return rebuilt(root, [...members(root), { name: '$defs', nameAt: root.at, node }]);
}
