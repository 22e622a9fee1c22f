import type { CodeTable } from './code-row.js';

/** Codes of names. */
export const NAMES = Object.freeze({
  'bad-condition-name': {
    cause: '`operator` and `conditions` are names of RFC 8620 5.5.',
    wrong: 'filter: { operator: equals }',
    right: 'carrier: { property: operator, is: equals }',
  },
  'bad-definition-name': {
    cause:
      'A name under `$defs` becomes a TypeScript type: letters and digits, and no data ' +
      "type's name.",
    wrong: '$defs: { my-part: { type: string } }',
    right: 'myPart: …',
  },
  'bad-file-name': {
    cause: "The file's name becomes a folder of `generated/` and an identifier.",
    wrong: 'capabilities/My_Things.yaml',
    right: 'capabilities/my-things.yaml',
  },
  'bad-method-name': {
    cause: 'A method is named Type/verb or Noun/verb.',
    wrong: 'methods: { rebuild: {} }',
    right: 'methods: { Gadget/rebuild: {} }',
  },
  'bad-property-name': {
    cause: 'A name has 1 to 128 characters, and [a few are reserved](descriptors.md#names).',
    wrong: 'constructor: { type: string }',
    right: 'builder: …',
  },
  'bad-type-name': {
    cause: "A type's name is PascalCase, and [some are reserved](descriptors.md#names).",
    wrong: 'types: { Promise: … }',
    right: 'Pledge: …',
  },
  'bad-urn': {
    cause: 'A capability is a URN or an http(s) URL.',
    wrong: 'capability: things',
    right: 'capability: urn:example:things',
  },
  'database-name': {
    cause:
      'The name of a table or column is too long for a database, or two names differ only ' +
      'by letter case.',
    cure: 'Give one another name.',
  },
  'duplicate-capability': {
    cause: 'Two descriptors have one capability.',
    cure: 'Use one file, or two URNs.',
  },
  'duplicate-file-name': {
    cause: 'Two descriptors would generate into one folder.',
    cure: 'Rename one file.',
  },
  'duplicate-type': {
    cause: 'Two types of all descriptors have one name, or differ only by letter case.',
    cure: 'Rename one.',
  },
  'standard-property': {
    cause: "Every type has an `id`, also in a descriptor of another server's types.",
    cure: 'Take it out.',
  },
} satisfies CodeTable);

/** Codes of hook files. */
export const HOOKS = Object.freeze({
  'hook-import': {
    cause: 'Node resolves no import without an extension: write `.js` for a `.ts` source.',
    wrong: "import { REASON } from '../rules/reason';",
    right: "… from '../rules/reason.js';",
  },
  'hook-syntax': {
    cause: 'The hook file is no TypeScript.',
    wrong: 'export const hooks = {',
    right: 'export const hooks = {} satisfies Hooks;',
  },
  'missing-hook': {
    cause: 'The descriptor needs a function that the hook file lacks.',
    cure: 'Paste the stub of the message into `capabilities/NAME.hooks.ts`.',
  },
  'unknown-hook': {
    cause: 'The hook file has a function for something that the descriptor lacks.',
    wrong: 'hooks.types.Gadgte',
    right: 'hooks.types.Gadget',
  },
} satisfies CodeTable);

/** Codes of what `generate --check` finds in generated files. */
export const CHECK = Object.freeze({
  'file-foreign': {
    cause: 'The generator never made this file in `generated/`, and leaves it alone.',
    wrong: 'generated/things/mine.ts',
    right: 'src/mine.ts',
  },
  'file-hand-edited': {
    cause: 'Somebody edited a generated file. The next run would lose the edit.',
    cure: 'Edit a file in `capabilities/` instead.',
  },
  'file-missing': {
    cause: 'A generated file is not there.',
    cure: 'Generate, and commit.',
  },
  'file-orphaned': {
    cause: 'No descriptor makes this generated file any more.',
    cure: 'Generate, and commit.',
  },
  'file-orphaned-edited': {
    cause: 'No descriptor makes this file any more, which somebody has edited.',
    cure: 'Save the edit elsewhere, then delete the file.',
  },
  'file-stale': {
    cause: 'A descriptor, jmapsmith, or a file that all capabilities share has changed.',
    cure: 'Generate, and commit.',
  },
} satisfies CodeTable);
