import type { AccessRule } from '../../src/capability/access-rules.js';
import type {
  DataTypeDefinition,
  OnDestroy,
  PropertyDefinition,
  TypeRules,
} from '../../src/capability/definition.js';
import { referring } from '../support/references.js';
import { dataType, methodsOf, property, STANDARD } from './gadget.js';
import { CORE, type Logic, type RequestSettings } from './rig.js';
import { viewer } from './viewers.js';
import { method } from './widget.js';

/** A type whose objects refer to one another in all ways, with access rules by its rank. */

const URN = 'https://example.com/jmap/nodes';

function reference(
  name: string,
  onDestroy: OnDestroy,
  more: Partial<PropertyDefinition> = {},
): PropertyDefinition {
  const to = referring({ type: 'Node', form: 'single', onDestroy, acyclic: false });
  return property(name, 'string', { nullable: true, default: null, format: 'id', ...to, ...more });
}

const group = property('group', 'string', { nullable: true, default: null });
const parentId = reference('parentId', 'setNull');

const PROPERTIES = [
  ...STANDARD,
  property('title', 'string', { default: '' }),
  property('rank', 'integer', { default: 0 }),
  property('wage', 'integer', { default: 0 }),
  property('tags', 'json', { default: {} }),
  group,
  parentId,
  reference('bossId', 'cascade'),
  reference('guardId', 'restrict'),
  reference('autoId', 'setNull', {
    access: 'serverSet',
    computed: { kind: 'from', properties: ['title'] },
  }),
];

const TABLES = `CREATE TABLE "Node" ("accountId" TEXT NOT NULL, "id" TEXT NOT NULL,
  "created" BIGINT NOT NULL, "updated" BIGINT NOT NULL, "title" TEXT NOT NULL,
  "rank" BIGINT NOT NULL, "wage" BIGINT NOT NULL, "tags" JSONB NOT NULL, "group" TEXT,
  "parentId" TEXT, "bossId" TEXT, "guardId" TEXT, "autoId" TEXT, PRIMARY KEY ("accountId", "id"));`;

const always = Object.assign(() => true, { errors: null });

/** Nodes of rank 1 are everyone's. A node's tags name users who see it. Cleaners destroy all. */
export const NODE_RULES: readonly AccessRule[] = [
  {
    who: { kind: 'everyone' },
    where: [{ property: 'rank', values: [1] }],
    ...{ read: true, create: true, update: true, destroy: true, leave: true },
  },
  { who: { kind: 'property', property: 'tags' }, read: true, destroy: true },
  { who: { kind: 'role', role: 'cleaner' }, destroy: true },
];

/**
 * `autoId`: the reference that a node with this title gets. `rules`: of the type, which has them in
 * the place of access rules.
 */
export function nodes(
  autoId: (title: string) => string | null = () => null,
  rules: TypeRules | null = null,
): Required<Logic>['more'] {
  const node: DataTypeDefinition = dataType(
    'Node',
    PROPERTIES,
    {},
    {
      ...{ capability: URN, ...(rules === null ? { access: NODE_RULES } : { rules }) },
      query: {
        collapse: { argument: 'collapse', by: group },
        tree: { by: parentId, sort: 'sortAsTree', filter: 'filterAsTree' },
      },
      validate: { update: always, filter: always, server: always },
    },
  );
  const compute = { autoId: ({ title }: { readonly title: string }) => autoId(title) };
  return {
    tables: TABLES,
    capability: {
      ...{ urn: URN, name: 'nodes', descriptorHash: 'x', session: {}, accountSession: {} },
      ...{ bareSession: false, accountLevel: true, dataTypes: [node] },
      methods: [
        ...methodsOf(node),
        method(node, 'query', 'read', always),
        method(node, 'queryChanges', 'read', always),
      ],
      hooks: { types: { Node: { compute } } },
    },
  };
}

/** The settings of calls of a user who sees by these rules alone. */
export const AS_VIEWER: RequestSettings = { using: [CORE, URN], user: viewer('u2') };
/** The settings of the owner's calls. */
export const AS_OWNER: RequestSettings = { using: [CORE, URN] };
