import { describe, expect, it } from 'vitest';
import type {
  CapabilityDefinition,
  MethodDefinition,
} from '../../src/capability/capability-definition.js';
import type { TypeHooks } from '../../src/capability/hooks.js';
import { doubtsOf, listTellingTypes } from '../../src/hooks/telling-types.js';
import { createRegistry } from '../../src/methods/registry.js';
import { described } from '../methods/described-type.js';

const title = { type: 'string', maxLength: 20, description: 'Its name.' };
const number = { type: 'integer', access: 'serverSet', default: 0, description: 'A number.' };
const link = (references: string, onDestroy: string) => ({
  ...{ type: ['string', 'null'], references, onDestroy },
  description: 'Another object.',
});
const typeOf = (properties: object) => ({
  description: 'A type.',
  properties: { title, ...properties },
  required: ['title'],
});
const hook = async () => undefined;

/** A list has items, which a /set of the list destroys or changes; the type under test is List. */
const ITEM = typeOf({ listId: link('List', 'cascade') });

function capabilityOf(list: object, item: object = ITEM): CapabilityDefinition {
  return described({ List: typeOf(list), Item: item }).capability;
}

function registryOf(
  capability: CapabilityDefinition,
  types: Readonly<Record<string, TypeHooks>> = {},
) {
  return createRegistry([{ ...capability, hooks: { types } }]);
}

function doubts(
  capability: CapabilityDefinition,
  types: Readonly<Record<string, TypeHooks>> = {},
): readonly string[] | undefined {
  return doubtsOf(registryOf(capability, types)).get('List');
}

describe('a /set tells all', () => {
  it('of a type that others follow, with hooks that judge, compute or act later', () => {
    const slug = { ...title, type: ['string', 'null'], access: 'serverSet' };
    const list = capabilityOf({
      slug: { ...slug, computed: { from: ['title'] } },
      code: { ...title, type: ['string', 'null'], unique: true },
      parentId: link('List', 'restrict'),
      seenId: link('List', 'keep'),
    });
    const hooks = {
      List: {
        check: () => undefined,
        compute: { slug: () => 's' },
        afterCommit: { durable: true, run: () => undefined },
        methods: { set: { after: () => ({}) }, query: { before: (args: object) => args } },
      },
      Item: { check: () => undefined },
    };
    expect(doubts(list, hooks)).toEqual([]);
    expect([...listTellingTypes(registryOf(list, hooks))]).toEqual(['List', 'Item']);
  });

  it('of a type whose values others count', () => {
    const counting = typeOf({ size: { ...number, computed: { count: 'List', by: 'itemId' } } });
    expect(doubts(capabilityOf({ itemId: link('Item', 'restrict') }, counting))).toEqual([]);
  });
});

describe('a /set might not tell all', () => {
  it('isNotServed: of a type without /set, or with one of the team’s', () => {
    const plain = capabilityOf({});
    const others = plain.methods.filter(({ name }) => name !== 'List/set');
    expect(doubts({ ...plain, methods: others })).toEqual(['isNotServed']);
    const methods = plain.methods.map(
      (method): MethodDefinition =>
        method.name === 'List/set' ? { ...method, body: 'hookFile' } : method,
    );
    expect(doubts({ ...plain, methods })).toEqual(['isNotServed']);
  });

  it('hasReplacedArguments: where `before` may replace what the client sent', () => {
    const set = { before: (args: object) => args };
    expect(doubts(capabilityOf({}), { List: { methods: { set } } })).toEqual([
      'hasReplacedArguments',
    ]);
  });

  it('hasWritingHook: where `inTransaction` hears of it, or of what changes with it', () => {
    const writing = { inTransaction: hook };
    expect(doubts(capabilityOf({}), { List: writing })).toEqual(['hasWritingHook']);
    expect(doubts(capabilityOf({}), { Item: writing })).toEqual(['hasWritingHook']);
    const weak = typeOf({ listId: link('List', 'keep') });
    expect(doubts(capabilityOf({}, weak), { Item: writing })).toEqual([]);
  });

  it.each([
    ['a cascade', { parentId: link('List', 'cascade') }],
    ['a link that is taken out', { parentId: link('List', 'setNull') }],
    [
      'a count',
      {
        parentId: link('List', 'restrict'),
        size: { ...number, computed: { count: 'List', by: 'parentId' } },
      },
    ],
    [
      'a sum',
      {
        parentId: link('List', 'restrict'),
        weight: { type: 'integer', default: 0, description: 'Its weight.' },
        total: { ...number, computed: { sum: 'List.weight', by: 'parentId' } },
      },
    ],
    ['an `on` source', { size: { ...number, computed: { on: ['List.title'] } } }],
  ])('changesOthers: by %s within the type', (_, properties) => {
    expect(doubts(capabilityOf(properties))).toEqual(['changesOthers']);
  });

  it('changesOthers: by a way that leads back over another type', () => {
    expect(doubts(capabilityOf({ itemId: link('Item', 'setNull') }))).toEqual(['changesOthers']);
    const size = { ...number, computed: { count: 'Item', by: 'listId' } };
    expect(doubts(capabilityOf({ size }))).toEqual(['changesOthers']);
    const on = { ...number, computed: { on: ['Item.title'] } };
    expect(doubts(capabilityOf({ size: on }))).toEqual(['changesOthers']);
  });

  it('hasAnsweredProperties: where /get alone computes a property', () => {
    const plain = capabilityOf({});
    const answered = [{ name: 'preview', sources: [] }];
    const dataTypes = plain.dataTypes.map((type) => ({ ...type, answered }));
    expect(doubts({ ...plain, dataTypes })).toEqual(['hasAnsweredProperties']);
  });
});
