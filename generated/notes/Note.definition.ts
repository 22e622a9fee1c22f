// Generated from capabilities/notes.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import * as standard from '../standard/validators.js';
import type * as wire from './Note.types.js';
import * as validators from './Note.validators.js';

/** The wire types of Note, for inference. */
export interface NoteShape {
  readonly object: wire.Note;
  readonly create: wire.NoteCreate;
  readonly patch: wire.NotePatch;
  readonly filter: wire.NoteFilter;
}

type PropertyName =
  | 'id'
  | 'created'
  | 'updated'
  | 'title'
  | 'body';

const properties: Record<PropertyName, jmap.PropertyDefinition> = frozen({
  id: {
    name: 'id',
    column: 'id',
    kind: 'string',
    nullable: false,
    required: false,
    access: 'serverSet',
    role: 'id',
    blob: false,
  },
  created: {
    name: 'created',
    column: 'created',
    kind: 'date',
    nullable: false,
    required: false,
    access: 'serverSet',
    role: 'created',
    blob: false,
  },
  updated: {
    name: 'updated',
    column: 'updated',
    kind: 'date',
    nullable: false,
    required: false,
    access: 'serverSet',
    role: 'updated',
    blob: false,
  },
  title: {
    name: 'title',
    column: 'title',
    kind: 'string',
    nullable: false,
    required: false,
    default: '',
    access: 'mutable',
    blob: false,
  },
  body: {
    name: 'body',
    column: 'body',
    kind: 'string',
    nullable: false,
    required: false,
    default: '',
    access: 'mutable',
    blob: false,
  },
});

/** A text with a title. */
export const noteType: jmap.DataTypeDefinition<NoteShape> = frozen({
  name: 'Note',
  capability: 'urn:service:notes',
  table: 'Note',
  acceptSnakeCase: false,
  properties: Object.values(properties),
  filters: [
    { name: 'title', property: properties.title, operator: 'contains', column: 'title_folded' },
    { name: 'body', property: properties.body, operator: 'contains', column: 'body_folded' },
  ],
  sorts: [
    { property: properties.title, casemapColumn: 'title_casemap' },
    { property: properties.created },
    { property: properties.updated },
  ],
  shadows: [
    { column: 'title_folded', property: properties.title, transform: 'fold' },
    { column: 'title_casemap', property: properties.title, transform: 'casemap' },
    { column: 'body_folded', property: properties.body, transform: 'fold' },
  ],
  validate: { create: validators.create, update: validators.update, filter: validators.filter },
});

/** The standard methods of Note. */
export const noteMethods: readonly jmap.MethodDefinition[] = frozen([
  {
    name: 'Note/get',
    capability: 'urn:service:notes',
    dataType: noteType,
    account: 'read',
    argumentNames: standard.argumentNames.get,
    acceptSnakeCase: false,
    validateArguments: standard.getArguments,
    handle: (args: jmap.GetArguments, context: jmap.MethodContext) =>
      context.standard.get(noteType, args),
  } satisfies jmap.MethodDefinition<jmap.GetArguments, jmap.GetResponse<NoteShape>>,
  {
    name: 'Note/changes',
    capability: 'urn:service:notes',
    dataType: noteType,
    account: 'read',
    argumentNames: standard.argumentNames.changes,
    acceptSnakeCase: false,
    validateArguments: standard.changesArguments,
    handle: (args: jmap.ChangesArguments, context: jmap.MethodContext) =>
      context.standard.changes(noteType, args),
  } satisfies jmap.MethodDefinition<jmap.ChangesArguments, jmap.ChangesResponse>,
  {
    name: 'Note/set',
    capability: 'urn:service:notes',
    dataType: noteType,
    account: 'write',
    argumentNames: standard.argumentNames.set,
    acceptSnakeCase: false,
    validateArguments: standard.setArguments,
    handle: (args: jmap.SetArguments, context: jmap.MethodContext) =>
      context.standard.set(noteType, args),
  } satisfies jmap.MethodDefinition<jmap.SetArguments, jmap.SetResponse<NoteShape>>,
  {
    name: 'Note/copy',
    capability: 'urn:service:notes',
    dataType: noteType,
    account: 'write',
    argumentNames: standard.argumentNames.copy,
    acceptSnakeCase: false,
    validateArguments: standard.copyArguments,
    handle: (args: jmap.CopyArguments, context: jmap.MethodContext) =>
      context.standard.copy(noteType, args),
  } satisfies jmap.MethodDefinition<jmap.CopyArguments, jmap.CopyResponse<NoteShape>>,
  {
    name: 'Note/query',
    capability: 'urn:service:notes',
    dataType: noteType,
    account: 'read',
    argumentNames: standard.argumentNames.query,
    acceptSnakeCase: false,
    validateArguments: standard.queryArguments,
    handle: (args: jmap.QueryArguments, context: jmap.MethodContext) =>
      context.standard.query(noteType, args),
  } satisfies jmap.MethodDefinition<jmap.QueryArguments, jmap.QueryResponse>,
  {
    name: 'Note/queryChanges',
    capability: 'urn:service:notes',
    dataType: noteType,
    account: 'read',
    argumentNames: standard.argumentNames.queryChanges,
    acceptSnakeCase: false,
    validateArguments: standard.queryChangesArguments,
    handle: (args: jmap.QueryChangesArguments, context: jmap.MethodContext) =>
      context.standard.queryChanges(noteType, args),
  } satisfies jmap.MethodDefinition<jmap.QueryChangesArguments, jmap.QueryChangesResponse>,
]);
