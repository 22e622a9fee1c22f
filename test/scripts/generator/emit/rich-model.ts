import type { Model, ModelProperty, ModelType } from '../../../../src/descriptor/model.js';
import { referring } from '../../../support/references.js';
import { find, model, property, type } from '../../migrations/models.js';

/** Hand-made: what the emitters get of a type that uses every part of the language. */

const AT = Object.freeze({ file: 'capabilities/things.yaml', line: 30, column: 5 });

const text = { type: 'string', maxLength: 40 } as const;

const STANDARD: readonly ModelProperty[] = [
  property('id', 'string', {
    role: 'id',
    access: 'serverSet',
    schema: { type: 'string', format: 'id' },
  }),
  property('created', 'date', {
    role: 'created',
    access: 'serverSet',
    schema: { type: 'string', format: 'utc-date' },
  }),
];

const PROPERTIES: readonly ModelProperty[] = [
  property('title', 'string', { required: true, schema: text, description: 'What it is called.' }),
  property('code', 'string', {
    nullable: true,
    default: null,
    schema: { ...text, type: ['string', 'null'] },
  }),
  property('position', 'integer', { default: 0, schema: { type: 'integer' } }),
  property('slug', 'string', {
    default: '',
    access: 'serverSet',
    computed: { kind: 'from', properties: ['title'] },
    schema: text,
  }),
  property('tags', 'json', {
    default: {},
    schema: {
      type: 'object',
      propertyNames: { maxLength: 5 },
      additionalProperties: { type: 'boolean', enum: [true] },
      maxProperties: 3,
    },
  }),
  property('links', 'json', {
    default: {},
    ...referring({ type: 'Rich', form: 'set', onDestroy: 'setNull', acyclic: false }),
    schema: {
      type: 'object',
      propertyNames: { format: 'id' },
      additionalProperties: { type: 'boolean', enum: [true] },
    },
  }),
  property('parentId', 'string', {
    nullable: true,
    default: null,
    format: 'id',
    ...referring({ type: 'Rich', form: 'single', onDestroy: 'restrict', acyclic: true }),
    schema: { type: ['string', 'null'], format: 'id' },
  }),
  property('starts', 'string', {
    default: '2026-01-31T14:00:00+02:00',
    format: 'date',
    schema: { type: 'string', format: 'date' },
  }),
  property('local', 'string', {
    nullable: true,
    default: null,
    format: 'local-date-time',
    schema: { type: ['string', 'null'], format: 'local-date-time' },
  }),
  property('old', 'boolean', {
    default: false,
    deprecated: 'Use tags.',
    schema: { type: 'boolean' },
  }),
  property('cost', 'integer', { default: 0, access: 'internal', schema: { type: 'integer' } }),
  property('pin', 'string', {
    nullable: true,
    default: null,
    access: 'secret',
    secret: 'hash',
    schema: { ...text, type: ['string', 'null'] },
  }),
];

const of = (name: string): ModelProperty => find(PROPERTIES, name);

export const RICH: ModelType = type('Rich', PROPERTIES, {
  properties: [...STANDARD, ...PROPERTIES],
  methods: [
    { name: 'get', at: AT },
    { name: 'set', at: AT },
    {
      name: 'query',
      at: AT,
      arguments: {
        type: 'object',
        properties: { nearTo: { type: 'string', format: 'id', description: 'Nearest first.' } },
        required: ['nearTo'],
      },
      response: { type: 'object', properties: { distance: { type: 'number' } } },
    },
  ],
  filters: [
    {
      name: 'hasTag',
      property: of('tags'),
      operator: 'hasKey',
      column: 'tags',
      schema: { type: 'string' },
      description: '',
      at: AT,
    },
    {
      name: 'text',
      property: of('title'),
      operator: 'text',
      column: 'title_folded',
      columns: ['title_folded', 'code_folded'],
      properties: [of('title'), of('code')],
      indexed: true,
      schema: { type: 'string' },
      description: '',
      at: AT,
    },
  ],
  sorts: [
    {
      name: 'title',
      property: of('title'),
      casemapColumn: 'title_casemap',
      indexed: false,
      at: AT,
    },
    { name: 'starts', property: of('starts'), column: 'starts_instant', indexed: true, at: AT },
  ],
  shadows: [
    { column: 'title_folded', property: of('title'), transform: 'fold' },
    { column: 'code_folded', property: of('code'), transform: 'fold' },
    { column: 'title_casemap', property: of('title'), transform: 'casemap' },
    { column: 'starts_instant', property: of('starts'), transform: 'instant' },
  ],
  uniques: [
    { name: 'code', properties: [of('code')], at: AT },
    { name: 'parentId+position', properties: [of('parentId'), of('position')], at: AT },
  ],
  indexes: [{ properties: [of('old'), of('title')], columns: ['old', 'title_casemap'], at: AT }],
  search: { name: 'Rich_search', columns: ['title_folded', 'code_folded'] },
  limits: { count: 5, octets: 1000 },
  deprecated: 'Use Poor.',
});

const ON = property('on', 'boolean', { default: true, schema: { type: 'boolean' } });

export const SINGLE: ModelType = type('Single', [ON], {
  properties: [...STANDARD, ON],
  singleton: true,
  methods: [
    { name: 'get', at: AT },
    { name: 'changes', at: AT },
    { name: 'set', at: AT },
  ],
});

export const richModel: Model = model([RICH, SINGLE]);
