// As the generator emits it: generated/client/{Todo,TodoList}.ts and index.ts.
import * as jmap from '../../src/index.js';

export interface TodoList {
  readonly id: jmap.Id<'TodoList'>;
  readonly name: string;
  readonly created: string;
}
export interface TodoListCreate {
  readonly name: string;
}
export interface TodoListShape {
  readonly name: 'TodoList';
  readonly object: TodoList;
  readonly create: TodoListCreate;
  readonly update: TodoListCreate;
  readonly patch: jmap.Patch<TodoListCreate, never>;
  readonly filter: { readonly name?: string | null };
  readonly sort: jmap.Comparator<'name'>;
  readonly error: jmap.StandardSetError<'TodoList', keyof TodoListCreate>;
}
export interface TodoListMethods<M extends jmap.Mode>
  extends jmap.Get<TodoListShape, M>,
    jmap.Changes<TodoListShape, M>,
    jmap.SetMethod<TodoListShape, M>,
    jmap.Query<TodoListShape, M> {}

export interface Todo {
  readonly id: jmap.Id<'Todo'>;
  readonly created: string;
  readonly text: string;
  readonly done: boolean;
  readonly tags: Readonly<Record<string, true>>;
  readonly listId: jmap.Id<'TodoList'>;
  readonly photoBlobId: jmap.BlobId | null;
}
export interface TodoCreate {
  readonly text: string;
  readonly done?: boolean;
  readonly tags?: Readonly<Record<string, true>>;
  readonly listId: jmap.Id<'TodoList'>;
  readonly photoBlobId?: jmap.BlobId | null;
}
export interface TodoUpdate extends Required<TodoCreate> {}
export interface TodoPatch extends jmap.Patch<TodoUpdate, 'done' | 'tags' | 'photoBlobId'> {
  readonly [pointer: `tags/${string}`]: unknown;
}
export interface TodoFilter {
  readonly done?: boolean | null;
  readonly text?: string | null;
}
export interface TodoShape {
  readonly name: 'Todo';
  readonly object: Todo;
  readonly create: TodoCreate;
  readonly update: TodoUpdate;
  readonly patch: TodoPatch;
  readonly filter: TodoFilter;
  readonly sort: jmap.Comparator<'text' | 'created'>;
  readonly error: jmap.StandardSetError<'Todo', keyof TodoCreate>;
  readonly includes: { readonly list: TodoListShape };
}
export interface TodoMethods<M extends jmap.Mode>
  extends jmap.Get<TodoShape, M>,
    jmap.Changes<TodoShape, M>,
    jmap.SetMethod<TodoShape, M>,
    jmap.Copy<TodoShape, M>,
    jmap.Query<TodoShape, M>,
    jmap.QueryChanges<TodoShape, M> {
  readonly close: jmap.OwnMethod<
    M,
    { readonly ids: readonly jmap.Id<'Todo'>[] },
    { readonly closed: number }
  >;
}

/** The types of the project by their names. */
export interface Methods<M extends jmap.Mode> {
  readonly Todo: TodoMethods<M>;
  readonly TodoList: TodoListMethods<M>;
}
export interface Project {
  readonly alone: Methods<'alone'>;
  readonly batch: Methods<'batch'>;
}

const todo: jmap.TypeTable = {
  name: 'Todo',
  capability: 'urn:example:todos',
  hash: 'sha256-…',
  methods: ['get', 'changes', 'set', 'copy', 'query', 'queryChanges', 'close'],
  properties: {
    id: { kind: 'string', access: 'serverSet' },
    created: { kind: 'date', access: 'serverSet' },
    text: { kind: 'string' },
    done: { kind: 'boolean', default: false },
    tags: { kind: 'json', default: {} },
    listId: { kind: 'string', references: [{ type: 'TodoList' }] },
    photoBlobId: { kind: 'string', default: null, references: [{ type: null }] },
  },
  filters: {
    done: { property: 'done', operator: 'equals' },
    text: { property: 'text', operator: 'contains' },
  },
  sorts: { text: { property: 'text' }, created: { property: 'created' } },
};

export const schema: jmap.Schema<Project> = { types: [todo], groups: [] };

/** Connects to a server with the types of this project. */
export function connect<Options extends jmap.ConnectOptions>(
  options: Options,
): Promise<jmap.ClientOf<Project, Options>> {
  return jmap.connect(schema, options);
}
