import { noteTable } from '../../../generated/client/Note.js';
import { todoTable } from '../../../generated/client/Todo.js';
import type * as jmap from '../../src/index.js';

// As the generator emits it, for capabilities/todos.yaml, notes.yaml and part of
// examples/tracker.yaml.

export interface Todo {
  readonly id: jmap.Id<'Todo'>;
  readonly created: string;
  readonly updated: string;
  readonly text: string;
  readonly done: boolean;
}
export interface TodoCreate {
  readonly text: string;
  readonly done?: boolean;
}
export interface TodoShape {
  readonly name: 'Todo';
  readonly object: Todo;
  readonly create: TodoCreate;
  readonly update: TodoCreate;
  readonly patch: jmap.Patch<TodoCreate, 'done'>;
  readonly filter: { readonly text?: string | null; readonly done?: boolean | null };
  readonly sort: jmap.Comparator<'text' | 'done' | 'created' | 'updated'>;
  readonly error: jmap.StandardSetError<'Todo', keyof TodoCreate>;
}
type Standard<Shape extends jmap.TypeShape, M extends jmap.Mode> = jmap.Get<Shape, M> &
  jmap.Changes<Shape, M> &
  jmap.SetMethod<Shape, M> &
  jmap.Copy<Shape, M> &
  jmap.Query<Shape, M> &
  jmap.QueryChanges<Shape, M>;

export interface Note {
  readonly id: jmap.Id<'Note'>;
  readonly title: string;
  readonly body: string;
}
export interface NoteCreate {
  readonly title?: string;
  readonly body?: string;
}
export interface NoteShape {
  readonly name: 'Note';
  readonly object: Note;
  readonly create: NoteCreate;
  readonly update: NoteCreate;
  readonly patch: jmap.Patch<NoteCreate, 'body'>;
  readonly filter: { readonly title?: string | null };
  readonly sort: jmap.Comparator<'title'>;
  readonly error: jmap.StandardSetError<'Note', keyof NoteCreate>;
}

export interface TodosMethods<M extends jmap.Mode> {
  readonly Todo: Standard<TodoShape, M>;
  readonly Note: Standard<NoteShape, M>;
  readonly Core: { readonly echo: jmap.OwnMethod<M, object, Readonly<Record<string, unknown>>> };
}
export interface TodosProject {
  readonly alone: TodosMethods<'alone'>;
  readonly batch: TodosMethods<'batch'>;
}

const STANDARD = ['get', 'changes', 'set', 'copy', 'query', 'queryChanges'];

function table(
  name: string,
  capability: string,
  properties: readonly string[],
  methods = STANDARD,
): jmap.TypeTable {
  const kinds = properties.map((each) => [each, { kind: 'string' as const }]);
  return {
    name,
    capability,
    hash: '',
    methods,
    properties: Object.fromEntries(kinds),
    filters: {},
    sorts: {},
  };
}

export const todos: jmap.Schema<TodosProject> = {
  types: [todoTable, noteTable],
  groups: [
    {
      name: 'Core',
      capability: 'urn:ietf:params:jmap:core',
      methods: ['echo'],
      withoutAccount: ['echo'],
    },
  ],
};

export interface Tracked {
  readonly id: jmap.Id<'Project'>;
  readonly key: string;
  readonly name: string;
  readonly issues: number;
}
export interface ProjectShape {
  readonly name: 'Project';
  readonly object: Tracked;
  readonly create: { readonly key: string; readonly name: string };
  readonly update: { readonly name: string };
  readonly patch: { readonly name?: string };
  readonly filter: { readonly key?: string | null };
  readonly sort: jmap.Comparator<'key' | 'name'>;
  readonly error: jmap.StandardSetError<'Project', 'key' | 'name'>;
}
export interface Issue {
  readonly id: jmap.Id<'Issue'>;
  readonly projectId: jmap.Id<'Project'>;
  readonly number: number;
  readonly title: string;
  readonly status: 'open' | 'closed';
  readonly duplicateOfId: jmap.Id<'Issue'> | null;
}
export interface IssueCreate {
  readonly projectId: jmap.Id<'Project'>;
  readonly number: number;
  readonly title: string;
  readonly duplicateOfId?: jmap.Id<'Issue'> | null;
}
export interface IssueShape {
  readonly name: 'Issue';
  readonly object: Issue;
  readonly create: IssueCreate;
  readonly update: { readonly title: string; readonly duplicateOfId?: jmap.Id<'Issue'> | null };
  readonly patch: { readonly title?: string; readonly duplicateOfId?: jmap.Id<'Issue'> | null };
  readonly filter: { readonly projectId?: jmap.Id<'Project'> | null };
  readonly sort: jmap.Comparator<'number' | 'title'>;
  readonly error: jmap.StandardSetError<'Issue', keyof IssueCreate>;
  readonly includes: { readonly project: ProjectShape; readonly duplicateOf: IssueShape };
}
export interface TrackerMethods<M extends jmap.Mode> {
  readonly Project: Standard<ProjectShape, M> & {
    readonly summary: jmap.OwnMethod<
      M,
      { readonly id: jmap.Id<'Project'> },
      { readonly counts: Readonly<Record<string, number>> }
    >;
  };
  readonly Issue: Standard<IssueShape, M> & {
    readonly close: jmap.OwnMethod<
      M,
      { readonly ids: readonly jmap.Id<'Issue'>[]; readonly resolution: 'fixed' | 'wontfix' },
      { readonly closed: readonly jmap.Id<'Issue'>[] }
    >;
  };
}
export interface TrackerProject {
  readonly alone: TrackerMethods<'alone'>;
  readonly batch: TrackerMethods<'batch'>;
}

const TRACKER = 'https://example.com/jmap/tracker';

export const tracker: jmap.Schema<TrackerProject> = {
  types: [
    table('Project', TRACKER, ['key', 'name'], [...STANDARD, 'summary']),
    {
      ...table('Issue', TRACKER, ['projectId', 'number', 'title'], [...STANDARD, 'close']),
      properties: {
        projectId: { kind: 'string', references: [{ type: 'Project' }] },
        duplicateOfId: { kind: 'string', isNullable: true, references: [{ type: 'Issue' }] },
        number: { kind: 'integer' },
        title: { kind: 'string' },
      },
      filters: { projectId: { property: 'projectId', operator: 'equals' } },
      sorts: { number: { property: 'number' } },
    },
  ],
  groups: [],
};
