import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonical } from '../../../scripts/generator/load/canonical.js';
import { checkForeign } from '../../../src/descriptor/check/foreign.js';
import { checkDescriptors } from '../../../src/descriptor/check/index.js';
import { buildModel } from '../../../src/descriptor/model/index.js';
import type { Model, ModelCapability, ModelType } from '../../../src/descriptor/model.js';
import { parseDescriptor } from '../../../src/descriptor/parse.js';
import { type CapabilityView, viewCapability } from '../../../src/descriptor/view.js';
import { canonicalJson } from '../../../src/protocol/canonical-json.js';
import { REPOSITORY } from './project.js';

const FOLDERS = ['capabilities', 'examples'];
const FILES = [
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(REPOSITORY, folder))
      .filter((name) => name.endsWith('.yaml'))
      .map((name) => `${folder}/${name}`),
  ),
  'test/conformance/gadget.yaml',
  'test/golden/output/rich/capabilities/rich.yaml',
];

function view(file: string, source: string): CapabilityView {
  const { root, problems } = parseDescriptor(file, source);
  expect(problems).toEqual([]);
  if (root === undefined) throw new Error(`${file} can't be read.`);
  const start = { file, line: 1, column: 1 };
  const base = basename(file).replace(/[.][a-z]+$/, '');
  return viewCapability({ file, base, start, root: canonical(root) });
}

function capability({ capabilities }: Model): ModelCapability {
  const [first] = capabilities;
  if (first === undefined) throw new Error('no capability');
  return first;
}

const described = (source: string): ModelCapability =>
  capability(buildModel([view('capabilities/x.yaml', source)]));
const served = (found: ModelCapability): ModelCapability =>
  capability(buildModel([view('reference.json', canonicalJson(found.onWire))]));

/**
 * Returns the facts that a client can build its calls from: no places, and of a type what is on the
 * wire.
 */
function facts({ types, ...rest }: ModelCapability): unknown {
  const { at: _at, name: _name, descriptorHash: _hash, onWire: _onWire, ...own } = rest;
  return withoutPlaces({ ...own, drops: [], types: types.map(ofType) });
}

function ofType({ renamedFrom: _renamedFrom, ...type }: ModelType): unknown {
  const shown = new Set(type.properties.filter((p) => p.access !== 'internal').map((p) => p.name));
  const isShown = ({ properties }: { readonly properties: readonly { name: string }[] }): boolean =>
    properties.every(({ name }) => shown.has(name));
  const isOpen = ({ property }: { readonly property?: { readonly name: string } }): boolean =>
    property === undefined || shown.has(property.name);
  return {
    ...type,
    drops: [],
    properties: type.properties
      .filter(({ name }) => shown.has(name))
      .map(({ secret: _secret, renamedFrom: _from, ...property }) => property),
    filters: type.filters.filter(isOpen),
    shadows: type.shadows.filter(isOpen),
    uniques: type.uniques.filter(isShown),
    indexes: type.indexes.filter(isShown),
  };
}

function withoutPlaces(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => (key === 'at' ? undefined : inner)),
  );
}

describe('a descriptor as clients read it', () => {
  it.each(FILES)('%s makes the same model without internal parts', (file) => {
    const model = buildModel([view(file, readFileSync(join(REPOSITORY, file), 'utf8'))]);
    const found = capability(model);
    expect(facts(served(found))).toEqual(facts(found));
    // It is a descriptor that no rule objects to by itself: other capabilities are others'
    // descriptors.
    const again = view('reference.json', canonicalJson(found.onWire));
    const errors = checkDescriptors([again]).filter(({ severity }) => severity !== 'warning');
    expect(errors.filter(({ code }) => code !== 'unknown-capability')).toEqual([]);
    expect(canonicalJson(found.onWire)).not.toMatch(/"internal"|"renamedFrom"|"drops"|"stored"/);
  });

  it('names nothing internal, wherever the descriptor does', () => {
    const { onWire } = described(`
capability: urn:x
drops: [Gone]
$defs:
  hush: { type: object, properties: { inner: { $ref: '#/$defs/deep' } } }
  deep: { type: string, maxLength: 3 }
  open: { type: string, maxLength: 9 }
types:
  Thing:
    drops: [lost]
    renamedFrom: Item
    properties:
      hidden: { type: integer, access: internal, default: 0 }
      keptTo: { type: [string, 'null'], references: Thing, access: internal }
      odd: { $ref: '#/$defs/hush', access: internal, default: {} }
      name: { $ref: '#/$defs/open', default: '', renamedFrom: title }
      pin: { type: [string, 'null'], access: secret, stored: encrypt }
      of: { type: integer, access: serverSet, default: 0, computed: { from: [hidden] } }
      both: { type: integer, access: serverSet, default: 0, computed: { from: [hidden, name] } }
      on: { type: integer, access: serverSet, default: 0, computed: { on: [Thing.hidden] } }
      far:
        type: integer
        access: serverSet
        default: 0
        computed: { on: [Thing.hidden, Thing.name] }
      sum: { type: integer, access: serverSet, default: 0, computed: { count: Thing, by: keptTo } }
    unique: [[name, hidden], name]
    indexes: [[hidden, name], [name, both]]
`);
    const counter = { access: 'serverSet', default: 0, type: 'integer' };
    expect(onWire).toEqual({
      capability: 'urn:x',
      $defs: { open: { type: 'string', maxLength: 9 } },
      types: {
        Thing: {
          properties: {
            name: { $ref: '#/$defs/open', default: '' },
            pin: { type: ['string', 'null'], access: 'secret' },
            of: counter,
            both: { ...counter, computed: { from: ['name'] } },
            on: counter,
            far: { ...counter, computed: { on: ['Thing.name'] } },
            sum: counter,
          },
          unique: ['name'],
          indexes: [['name', 'both']],
        },
      },
    });
  });

  it('has values of the author as they are, whatever names are in them', () => {
    const { onWire } = described(`
capability: urn:x
session: { drops: [a], stored: hash, hidden: 1, __proto__: { renamedFrom: b } }
types:
  Thing:
    properties:
      hidden: { type: integer, access: internal, default: 0 }
      drops: { type: object, additionalProperties: true, default: { stored: 1, renamedFrom: x } }
`);
    expect(canonicalJson(onWire)).toBe(
      canonicalJson({
        capability: 'urn:x',
        session: JSON.parse(
          '{"drops":["a"],"stored":"hash","hidden":1,"__proto__":{"renamedFrom":"b"}}',
        ) as unknown,
        types: {
          Thing: {
            properties: {
              drops: {
                type: 'object',
                additionalProperties: true,
                default: { stored: 1, renamedFrom: 'x' },
              },
            },
          },
        },
      }),
    );
  });

  it('leaves out a property whose only source is internal to another capability', () => {
    const first = `
capability: urn:a
types:
  Box:
    properties:
      size: { type: integer, access: serverSet, default: 0, computed: { on: [Lid.hidden] } }
`;
    const second = `
capability: urn:b
types:
  Lid:
    properties:
      hidden: { type: integer, access: internal, default: 0 }
      shown: { type: integer, default: 0 }
`;
    const model = buildModel([view('a.yaml', first), view('b.yaml', second)]);
    expect(canonicalJson(capability(model).onWire)).not.toContain('hidden');
  });

  it('leaves out access rules and who creates shared objects, and no rule objects to that', () => {
    const { onWire } = described(`
capability: urn:example:x
types:
  List:
    properties:
      name: { type: string, maxLength: 100, default: '' }
      budget: { type: integer, default: 0, readable: [owner] }
    share: { rights: { mayRead: See it. }, read: mayRead, create: everyone }
    access: [{ who: creator, read: true }]
  Todo:
    properties:
      listId: { type: [string, 'null'], references: List }
      grade: { type: integer, default: 0, readable: ['role:teacher'] }
    access: [{ who: parent, of: listId, read: mayRead }]
`);
    const types = onWire['types'] as Record<string, object>;
    expect(types['List']).toMatchObject({ share: { rights: { mayRead: 'See it.' } } });
    expect(types['List']).not.toHaveProperty('share.create');
    for (const type of Object.values(types)) expect(type).not.toHaveProperty('access');
    const read = view('reference.json', canonicalJson(onWire));
    expect(checkForeign([read], []).map(({ message }) => message)).toEqual([]);
  });
});
