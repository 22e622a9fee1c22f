import type { CodeTable } from './code-row.js';

/** Codes of names. */
export const NAMES = Object.freeze({
  'bad-condition-name': {
    cause:
      '`operator` and `conditions` would make a FilterCondition a FilterOperator (RFC 8620 ' +
      '5.5).',
    wrong: 'filter: { operator: equals }',
    right: 'filter: { carrier: { property: operator, is: equals } }',
  },
  'bad-definition-name': {
    cause:
      'A name under `$defs` becomes a TypeScript type: letters and digits, and no data ' +
      "type's name.",
    wrong: '$defs: { my-part: { type: string } }',
    right: '$defs: { myPart: { type: string } }',
  },
  'bad-file-name': {
    cause: "The file's name becomes a folder of `generated/` and an identifier.",
    wrong: 'capabilities/My_Things.yaml',
    right: 'capabilities/my-things.yaml',
  },
  'bad-method-name': {
    cause: 'A method is named Type/verb or Noun/verb (RFC 8620 3.2).',
    wrong: 'methods: { rebuild: {} }',
    right: 'methods: { Gadget/rebuild: {} }',
  },
  'bad-property-name': {
    cause:
      'Property names are camelCase. JMAP, JavaScript and databases [reserve ' +
      'some](descriptors.md#names).',
    wrong: 'due_date: { type: string }',
    right: 'dueDate: { type: string }',
  },
  'bad-type-name': {
    cause:
      "A type's name is PascalCase. TypeScript, Prisma and the engine [reserve " +
      'some](descriptors.md#names).',
    wrong: 'types: { Promise: … }',
    right: 'types: { Pledge: … }',
  },
  'bad-urn': {
    cause: 'A capability is a URN or an http(s) URL (RFC 8620 1.8).',
    wrong: 'capability: things',
    right: 'capability: urn:example:things',
  },
  'database-name': {
    cause:
      'The name of a table or column is too long for a database, or two names differ only ' +
      'by letter case.',
    wrong: 'types: { Note: …, NOTE: … }',
    right: 'types: { Note: …, Memo: … }',
  },
  'duplicate-capability': {
    cause: 'Two descriptors have one capability. `using` names a capability, not a file.',
    wrong: 'capability: urn:example:a (in two files)',
    right: 'one file, or two URNs',
  },
  'duplicate-file-name': {
    cause: 'Two descriptors would generate into one folder.',
    wrong: 'things.yaml and things.json',
    right: 'things.yaml and others.json',
  },
  'duplicate-property': {
    cause: 'Two properties differ only by letter case, which databases ignore in columns.',
    wrong: 'fooBar: …, foobar: …',
    right: 'fooBar: …, barFoo: …',
  },
  'duplicate-type': {
    cause:
      "All capabilities share one database and one set of method names. Letter case doesn't " +
      'tell types apart.',
    wrong: 'types: { Note: … } in two files',
    right: 'types: { Note: … } and types: { Memo: … }',
  },
  'standard-property': {
    cause:
      'Every type has `id`, `created` and `updated` without declaring them. That holds in a ' +
      "descriptor of another server's types too ([conformance.md](conformance.md)).",
    wrong: 'properties: { id: { type: string }, name: { type: string } }',
    right: 'properties: { name: { type: string } }',
  },
} satisfies CodeTable);

/** Codes of hook files. */
export const HOOKS = Object.freeze({
  'hook-import': {
    cause:
      "Node can't resolve an import of a hook file, or of a file that it imports, although " +
      'TypeScript can. A relative import names the whole file, with `.js` for a `.ts` ' +
      'source.',
    wrong: "import { REASON } from '../rules/reason';",
    right: "import { REASON } from '../rules/reason.js';",
  },
  'hook-syntax': {
    cause: 'The hook file is no TypeScript, so nothing is known of its hooks.',
    wrong: 'export const hooks = {',
    right: 'export const hooks: Hooks = {}',
  },
  'missing-hook': {
    cause:
      "The descriptor needs a function that the hook file doesn't have. The message has the " +
      'stub to paste.',
    wrong: 'methods: { Gadget/rebuild: … } alone',
    right: 'the stub in capabilities/NAME.hooks.ts',
  },
  'unknown-hook': {
    cause:
      "The hook file has a function for something that the descriptor doesn't have: it " +
      'would never run.',
    wrong: 'hooks.types.Gadgte',
    right: 'hooks.types.Gadget',
  },
} satisfies CodeTable);

/** Codes of what `generate --check` finds in generated files. */
export const CHECK = Object.freeze({
  'file-foreign': {
    cause:
      'A file lies in `generated/` that the generator never made. `generate` leaves it ' + 'alone.',
    wrong: 'generated/things/mine.ts',
    right: 'src/mine.ts',
  },
  'file-hand-edited': {
    cause: 'Somebody edited a generated file. The next run would lose the edit.',
    wrong: 'an edit in generated/',
    right: 'an edit in capabilities/',
  },
  'file-missing': {
    cause: 'A file that the descriptors make is not there.',
    wrong: 'a commit without generated/',
    right: 'npm run generate, and commit',
  },
  'file-orphaned': {
    cause: 'No descriptor makes this generated file any more.',
    wrong: 'a descriptor removed alone',
    right: 'npm run generate, and commit',
  },
  'file-orphaned-edited': {
    cause:
      'No descriptor makes this generated file any more, and somebody has edited it. `generate` ' +
      'leaves it alone.',
    wrong: 'a descriptor removed beside a generated file that was edited',
    right: 'save what you need of the file, then remove it',
  },
  'file-stale': {
    cause: 'A descriptor, or the version of jmapsmith, has changed since the file was generated.',
    wrong: 'a descriptor changed alone',
    right: 'npm run generate, and commit',
  },
} satisfies CodeTable);
