import { expect, test } from 'vitest';
import type { MethodDefinition } from '../../src/capability/capability-definition.js';
import { MissingHookError, requireHooks } from '../../src/hooks/required.js';
import { createRegistry } from '../../src/methods/registry.js';
import type { Json } from '../methods/rig.js';
import { Widget, widgetCapability } from '../methods/widget.js';

const NAME = 'Widget/rebuild';

const method: MethodDefinition = {
  name: NAME,
  capability: Widget.capability,
  account: 'read',
  acceptSnakeCase: false,
  validateArguments: () => true,
  body: 'hookFile',
};

const trick = async () => ({});

test('the start reports a method without a function, and where to write it', () => {
  const registry = createRegistry([widgetCapability({ methods: [method] })]);
  expect(() => requireHooks(registry)).toThrow(MissingHookError);
  expect(() => requireHooks(registry)).toThrow(
    `Nothing implements ${NAME}: capabilities/widgets.hooks.ts needs methods['${NAME}'].`,
  );
});

test('the start reports each computed property without its function', () => {
  const capability = widgetCapability();
  const [first] = Widget.properties;
  if (first === undefined) throw new Error('A widget has properties.');
  const { role: _, ...plain } = first;
  const sources = [{ type: 'Widget', property: 'title' }];
  const type = {
    ...Widget,
    properties: [
      ...Widget.properties,
      { ...plain, name: 'slug', computed: { kind: 'from', properties: ['title'] } as const },
      { ...plain, name: 'total', computed: { kind: 'on', sources } as const },
    ],
  };
  const changed = { ...capability, dataTypes: [type] };
  const methods = { 'Widget/trick': trick };
  const start = (hooks: object) => () =>
    requireHooks(createRegistry([{ ...changed, hooks: { methods, ...hooks } }]));
  expect(start({})).toThrow(/types\.Widget\.compute\.slug\.\n.*types\.Widget\.computeOn\.total\./);
  const whole = { compute: { slug: () => '' }, computeOn: { total: async () => new Map() } };
  expect(start({ types: { Widget: whole } })).not.toThrow();
  expect(start({ types: { Widget: whole, Wodget: {} } })).toThrow('hooks of Wodget');
});

test('the start reports hooks of unknown names, properties and methods', () => {
  const methods = { 'Widget/trick': trick };
  const hooks: Json = {
    chek: () => undefined,
    compute: { title: () => '' },
    computeOn: { count: async () => new Map() },
    methods: { get: {}, fetch: {} },
  };
  const registry = createRegistry([
    { ...widgetCapability(), hooks: { types: { Widget: hooks }, methods } },
  ]);
  const told = [
    'chek, which is no hook',
    'compute.title, which is computed from nothing',
    'computeOn.count, which follows nothing',
    'methods.fetch, which is no method of it',
  ];
  expect(() => requireHooks(registry)).toThrow(
    told.map((what) => `capabilities/widgets.hooks.ts has types.Widget.${what}.`).join('\n'),
  );
});

test('a value that is no function counts as missing', () => {
  const hooks: Json = { methods: { 'Widget/rebuild': true, 'Widget/trick': trick } };
  const registry = createRegistry([{ ...widgetCapability({ methods: [method] }), hooks }]);
  expect(() => requireHooks(registry)).toThrow(`Nothing implements ${NAME}`);
});

test('the start reports a wrong timeout of a function of evolve/', () => {
  const one = {
    migration: 2,
    file: 'evolve/0002-split.ts',
    table: 'Widget',
    before: [],
    after: {},
  };
  const start = (convert: Json) => () =>
    requireHooks(createRegistry([{ ...widgetCapability(), evolutions: [{ ...one, convert }] }]));
  const place = 'evolve/0002-split.ts: Widget';
  expect(start({ timeout: 'soon', run: trick })).toThrow(`${place}.timeout is "soon", no span`);
  expect(start({ timeout: '1m' })).toThrow(`${place} is neither a function nor { timeout, run }`);
  expect(start({ timeout: '1m', run: trick })).not.toThrow(place);
});
