import type { CapabilityDefinition } from '../../src/capability/capability-definition.js';
import type { OnDestroy, PropertyDefinition } from '../../src/capability/definition.js';
import { referring } from '../support/references.js';
import { dataType, methodsOf, property, STANDARD } from './gadget.js';

/**
 * Types whose rows are read ahead for calls that share a commit, with all that changes such a row
 * from elsewhere.
 */

const URN = 'https://example.com/jmap/shelves';

function reference(name: string, type: string, onDestroy: OnDestroy): PropertyDefinition {
  const to = { type, form: 'single', onDestroy, acyclic: false } as const;
  const more = { nullable: true, default: null, format: 'id', ...referring(to) } as const;
  return property(name, 'string', more);
}

const code = property('code', 'string', { nullable: true, default: null });

const SHELF = [
  ...STANDARD,
  property('name', 'string', { required: true }),
  property('books', 'integer', {
    access: 'serverSet',
    default: 0,
    computed: { kind: 'count', type: 'Book', by: 'shelfId' },
  }),
  reference('bestId', 'Book', 'setNull'),
];

const BOOK = [
  ...STANDARD,
  property('title', 'string', { required: true }),
  property('pages', 'integer', { default: 0 }),
  property('isRead', 'boolean', { default: false }),
  property('due', 'date', { nullable: true, default: null }),
  code,
  property('label', 'string', {
    nullable: true,
    default: null,
    access: 'serverSet',
    computed: { kind: 'from', properties: ['title', 'pages'] },
  }),
  reference('shelfId', 'Shelf', 'cascade'),
];

const FRAME = `"accountId" TEXT NOT NULL, "id" TEXT NOT NULL, "created" BIGINT NOT NULL,
  "updated" BIGINT NOT NULL`;

/** One of them is stored by its key, the other by row number. */
const TABLES = `CREATE TABLE "Shelf" (${FRAME}, "name" TEXT NOT NULL, "books" BIGINT NOT NULL,
  "bestId" TEXT, PRIMARY KEY ("accountId", "id")) WITHOUT ROWID;
CREATE TABLE "Book" (${FRAME}, "title" TEXT NOT NULL, "pages" BIGINT NOT NULL,
  "isRead" BOOLEAN NOT NULL, "due" BIGINT, "code" TEXT, "label" TEXT, "shelfId" TEXT,
  PRIMARY KEY ("accountId", "id"));`;

const text = { type: 'string' };
const textOrNull = { type: 'string', nullable: true };

const own = { capability: URN };
export const Shelf = dataType('Shelf', SHELF, { name: text, bestId: textOrNull }, own);
export const Book = dataType(
  'Book',
  BOOK,
  {
    title: text,
    pages: { type: 'integer' },
    isRead: { type: 'boolean' },
    due: textOrNull,
    code: textOrNull,
    shelfId: textOrNull,
  },
  { ...own, uniques: [{ name: 'code', properties: [code] }] },
);

const capability: CapabilityDefinition = {
  urn: URN,
  name: 'shelves',
  descriptorHash: 'sha256-shelves',
  session: {},
  accountSession: {},
  bareSession: false,
  accountLevel: true,
  dataTypes: [Shelf, Book],
  methods: [Shelf, Book].flatMap(methodsOf),
  hooks: {
    types: {
      Book: {
        compute: {
          label: ({ title, pages }) => `${String(title).slice(0, 5)} ${String(pages)}`,
        },
      },
    },
  },
};

export const shelves = { capability, tables: TABLES };
