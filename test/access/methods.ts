import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StandardMethodName } from '../../src/capability/definition.js';
import { buildModel } from '../../src/descriptor/model/index.js';
import type { Model } from '../../src/descriptor/model.js';
import { parseDescriptor } from '../../src/descriptor/parse.js';
import { viewCapability } from '../../src/descriptor/view.js';
import type { JsonMap } from '../support/json.js';

/**
 * The use that a method makes of accounts: none is named, one is read or written, or one is read
 * and another written (RFC 8620 5.4, 6.3).
 */
export type Kind = 'none' | 'read' | 'write' | 'copy';

/** A method that the served project has. */
export interface Method {
  readonly name: string;
  readonly kind: Kind;
  /** The capability that its account must offer, and a request must name. */
  readonly capability: string;
  /** Arguments that are legal beside the accounts, and change nothing. */
  readonly rest: JsonMap;
  /** The team's own: its body may refuse what its schema takes. */
  readonly isOwn: boolean;
  /** Its schema refuses an accountId that can't be an id, before any account is looked for. */
  readonly refusesImpossibleIds: boolean;
}

const STANDARD: Readonly<Record<StandardMethodName, readonly [Kind, JsonMap]>> = {
  get: ['read', { ids: [] }],
  changes: ['read', { sinceState: '0' }],
  query: ['read', { limit: 1 }],
  queryChanges: ['read', { sinceQueryState: '0.none' }],
  set: ['write', {}],
  copy: ['copy', { create: {} }],
};

/** The engine's own. One that is not here has no expectation, and fails the matrix. */
const BUILT_IN: Readonly<Record<string, readonly [Kind, JsonMap]>> = {
  'Core/echo': ['none', {}],
  'Blob/get': ['read', { ids: [] }],
  'Blob/lookup': ['read', { ids: [], typeNames: [] }],
  'Blob/upload': ['write', { create: {} }],
  'Blob/copy': ['copy', { blobIds: [] }],
  'PushSubscription/get': ['none', {}],
  'PushSubscription/set': ['none', {}],
};

const ENGINES = { isOwn: false, refusesImpossibleIds: false };
const OWN = { isOwn: true };

/**
 * Not every project offers these. One account alone offers the administration, with ADMIN=on:
 * test/methods/admin tests its access. Projects with quotas alone offer those, and projects
 * with shared types the principals.
 */
const SELDOM = ['jmapsmith-admin.yaml', 'jmapsmith-principals.yaml', 'jmapsmith-quota.yaml'];

/** The descriptors of a project as the generator understands them. */
export function modelOf(root: string): Model {
  const folder = join(root, 'capabilities');
  const all = readdirSync(folder).filter((file) => /[.](?:ya?ml|json)$/.test(file));
  const files = all.filter((file) => !SELDOM.includes(file));
  return buildModel(
    files.map((file) => {
      const { root: node } = parseDescriptor(file, readFileSync(join(folder, file), 'utf8'));
      if (node === undefined) throw new Error(`${file} can't be read.`);
      const start = { file, line: 1, column: 1 };
      return viewCapability({ file, base: file.replace(/[.][a-z]+$/, ''), start, root: node });
    }),
  );
}

/** Every method of every descriptor: a new type or method is here by itself. */
export function methodsOf(model: Model): readonly Method[] {
  return model.capabilities.flatMap(({ urn, types, methods }) => [
    ...types.flatMap((type) =>
      type.methods.map(({ name }): Method => {
        const [kind, rest] = STANDARD[name];
        return { ...ENGINES, name: `${type.name}/${name}`, kind, capability: urn, rest };
      }),
    ),
    ...methods.map((method): Method => {
      const { name, builtIn, account, accountCapability } = method;
      const capability = accountCapability ?? urn;
      if (!builtIn) {
        const rest = fromSchema(method.arguments);
        const isFormat = formatOf(method.arguments) === 'id';
        return { ...OWN, name, kind: account, capability, rest, refusesImpossibleIds: isFormat };
      }
      const known = BUILT_IN[name];
      if (known === undefined) throw new Error(`${name} has no expectation: give BUILT_IN its.`);
      return { ...ENGINES, name, kind: known[0], capability, rest: known[1] };
    }),
  ]);
}

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: object;
  readonly items?: unknown;
  readonly minItems?: number;
}

/** The least that the schema of a team's own method takes; ids are those of nothing. */
function fromSchema(schema: unknown): JsonMap {
  const { required = [], properties = {} } = schema as Schema;
  const all = new Map(Object.entries(properties));
  const given = required.filter((name) => name !== 'accountId');
  return Object.fromEntries(given.map((name) => [name, least(all.get(name))])) as JsonMap;
}

function formatOf(schema: unknown): unknown {
  const accountId = new Map(Object.entries((schema as Schema).properties ?? {})).get('accountId');
  return (accountId as { readonly format?: unknown } | undefined)?.format;
}

function least(schema: unknown): unknown {
  const { type, enum: choices, items, minItems = 0 } = schema as Schema;
  if (choices !== undefined) return choices[0];
  if (type === 'array') return Array.from({ length: minItems }, () => least(items));
  if (type === 'object') return fromSchema(schema);
  if (type === 'boolean') return false;
  return type === 'integer' || type === 'number' ? 0 : 'nothing';
}
