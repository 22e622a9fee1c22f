import { hash, randomFillSync } from 'node:crypto';

/**
 * The servers written by hand have these in common: the shape of a to-do, how it is checked, ids,
 * tokens. They are what jmapsmith is measured against, so each is meant to be as fast as an
 * engineer makes it who knows the framework and the database well.
 */

export interface Todo {
  readonly id: string;
  readonly text: string;
  readonly done: boolean;
  readonly created: string;
  readonly updated: string;
}

export interface NewTodo {
  readonly text: string;
  readonly done?: boolean;
}

export type TodoPatch = Partial<NewTodo>;

export interface ListQuery {
  readonly text?: string;
  readonly done?: boolean;
  readonly sort?: 'text' | '-created';
  readonly limit?: number;
}

export interface Changes {
  readonly state: string;
  readonly hasMore: boolean;
  /** Created or changed, as they are now. */
  readonly todos: readonly Todo[];
  readonly destroyed: readonly string[];
}

export interface QueryChanges {
  readonly state: string;
  readonly removed: readonly string[];
  readonly added: readonly { readonly id: string; readonly index: number }[];
}

type Soon<T> = T | Promise<T>;

/** The operations that the routes need of a database. */
export interface Store {
  /** May the token's user write in the account? Null: it does not reach it. */
  access(tokenHash: string, accountId: string): Soon<{ readonly readOnly: boolean } | null>;
  create(
    accountId: string,
    todos: readonly NewTodo[],
  ): Soon<{ readonly state: string; readonly todos: readonly Todo[] }>;
  /** Null where there is none. */
  update(
    accountId: string,
    id: string,
    patch: TodoPatch,
  ): Soon<{ readonly state: string; readonly todo: Todo } | null>;
  get(accountId: string, id: string): Soon<Todo | null>;
  getMany(
    accountId: string,
    ids: readonly string[],
  ): Soon<{ readonly state: string; readonly todos: readonly Todo[] }>;
  list(
    accountId: string,
    query: ListQuery,
  ): Soon<{ readonly state: string; readonly todos: readonly Todo[] }>;
  changes(accountId: string, since: number, limit: number): Soon<Changes>;
  queryChanges(accountId: string, since: number, query: ListQuery): Soon<QueryChanges>;
  close(): Soon<void>;
}

export const MAX_BATCH = 1000;

const text = { type: 'string', maxLength: 512 } as const;
const done = { type: 'boolean' } as const;
const id = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,255}$' } as const;

/** JSON Schemas of requests. */
export const SCHEMAS = {
  create: {
    type: 'object',
    properties: { text, done },
    required: ['text'],
    additionalProperties: false,
  },
  createMany: {
    type: 'object',
    properties: {
      todos: {
        type: 'array',
        maxItems: MAX_BATCH,
        items: {
          type: 'object',
          properties: { text, done },
          required: ['text'],
          additionalProperties: false,
        },
      },
    },
    required: ['todos'],
    additionalProperties: false,
  },
  patch: { type: 'object', properties: { text, done }, additionalProperties: false },
  list: {
    type: 'object',
    properties: {
      ids: { type: 'string', maxLength: 100_000 },
      text: { type: 'string', maxLength: 512 },
      done,
      sort: { enum: ['text', '-created'] },
      limit: { type: 'integer', minimum: 1, maximum: 1000 },
      since: { type: 'integer', minimum: 0 },
    },
    additionalProperties: false,
  },
  params: {
    type: 'object',
    properties: { account: id, id },
  },
} as const;

/** JSON Schemas of answers, for Fastify's serializer. */
const todo = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    text: { type: 'string' },
    done: { type: 'boolean' },
    created: { type: 'string' },
    updated: { type: 'string' },
  },
} as const;
const state = { type: 'string' } as const;
const todos = { type: 'array', items: todo } as const;
const ids = { type: 'array', items: { type: 'string' } } as const;

export const ANSWERS = {
  todo,
  todos: { type: 'object', properties: { state, todos } },
  written: { type: 'object', properties: { state, todo } },
  changes: {
    type: 'object',
    properties: { state, hasMore: { type: 'boolean' }, todos, destroyed: ids },
  },
  queryChanges: {
    type: 'object',
    properties: {
      state,
      removed: ids,
      added: {
        type: 'array',
        items: {
          type: 'object',
          properties: { id: { type: 'string' }, index: { type: 'integer' } },
        },
      },
    },
  },
} as const;

/** Folds a text that is looked for, or looked in, without regard to case. */
export function fold(value: string): string {
  return value.normalize('NFKC').toLowerCase();
}

export function tokenHash(header: string | undefined): string | null {
  if (header === undefined || !header.startsWith('Bearer ')) return null;
  return hash('sha256', header.slice('Bearer '.length), 'hex');
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const pool = Buffer.alloc(4096);
let used = pool.length;
let lastTime = 0;
let sequence = 0;

/** Ids that ascend with time, as ULIDs do: the key's index grows at its end. */
export function newId(now: number): string {
  if (now > lastTime) {
    lastTime = now;
    sequence = 0;
  } else sequence += 1;
  if (used + 10 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const time = lastTime.toString(32).padStart(10, '0');
  let result = `t${time}${sequence.toString(32).padStart(5, '0')}`;
  for (const end = used + 10; used < end; used += 1)
    result += ALPHABET.charAt((pool[used] ?? 0) & 31);
  return result;
}
