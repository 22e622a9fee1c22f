import { whyNoTypeName } from '../../src/descriptor/check/reserved.js';
import { command, page, schemaPath } from '../invocation.js';

/** Why there can't be a type of the name, or undefined where there can. */
export { whyNoTypeName };

/** Returns the descriptor's base name, `invoice-lines` of `InvoiceLine`. */
export function baseNameOf(typeName: string): string {
  const words = typeName
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
  return plural(words);
}

function plural(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

/** Returns a commented descriptor of a new type, which generates and runs as it is. */
export function newDescriptor(typeName: string): string {
  const base = baseNameOf(typeName);
  return `# yaml-language-server: $schema=${schemaPath()}
# What every key does is in ${page('reference/descriptors.md')}.
# After a change: ${command('generate')} && ${command('start')}

# The URN (or https URL) that requests name in "using". urn:example: is for trying things out.
capability: urn:example:${base}
description: What ${typeName} is part of, in a sentence.

types:
  ${typeName}:
    description: What one ${typeName} is, in a sentence.
    # Every type has id, created and updated by itself.
    properties:
      # Required (see below): every create gives it.
      name: { type: string, maxLength: 200, description: What it is called. }
      # Neither required nor nullable: it has a default.
      done: { type: boolean, default: false, description: Whether it is over. }
      # A date that may be null, which is then its default.
      due: { type: [string, 'null'], format: utc-date, description: When it is due. }
      # One of some words, given on create and never changed.
      size: { type: string, enum: [small, large], default: small, access: immutable }
      # No two objects of an account have the same, but many may have null.
      code: { type: [string, 'null'], maxLength: 40, unique: true, description: Its number. }
      # A list, kept as JSON. For a set of words ({ "blue": true }): { setOf: string, default: {} }.
      tags: { type: array, items: { type: string, maxLength: 50 }, maxItems: 50, default: [] }
      # The id of another object in the same account. onDestroy: what becomes of this one when that
      # one is destroyed: restrict (the default: it can't be), cascade or setNull. acyclic: none is
      # above itself.
      parentId:
        type: [string, 'null']
        references: ${typeName}
        onDestroy: restrict
        acyclic: true
      # The id of an uploaded file; Blob/lookup finds the objects that use one.
      blobId: { type: [string, 'null'], blob: true, description: A file that belongs to it. }
      # What the server counts itself: those that have this one as their parent.
      # children:
      #   type: integer
      #   access: serverSet
      #   default: 0
      #   computed: { count: ${typeName}, by: parentId }
      # What a function of yours makes of other properties. The function stands in
      # capabilities/${base}.hooks.ts ("compute"), beside others that refuse changes ("check"),
      # write along with them ("inTransaction") or tell others afterwards ("afterCommit").
      # label:
      #   type: string
      #   maxLength: 300
      #   access: serverSet
      #   default: ''
      #   computed: { from: [name, tags] }
    required: [name]

    # What /query filters by: the name of a condition, and how it compares its property. With an
    # index a query reads what it finds; without one it reads all objects of an account.
    filter:
      name: { is: contains, indexed: true } # in any letter case
      done: equals # an index helps little where many objects share a value
      dueBefore: { property: due, is: before } # a condition with a name of its own
      dueAfter: { property: due, is: after } # due has an index: see sort
      hasParent: { property: parentId, is: equals, indexed: true }

    # What /query sorts by. An index makes sorts of many records faster and writes slower.
    sort:
      - { property: name, indexed: true }
      - { property: due, indexed: true }
      - created # ids are in the order of creation: no index is needed
      - { property: updated, indexed: true }
`;
}
