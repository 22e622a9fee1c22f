import { whyNoTypeName } from './check/reserved.js';

/** Why there can't be a type of the name, or undefined where there can. */
export { whyNoTypeName };

/** `invoice-lines` of `InvoiceLine`: the descriptor's base name. */
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

/** A commented descriptor of a new type, which generates and runs as it is. */
export function newDescriptor(typeName: string): string {
  const base = baseNameOf(typeName);
  return `# yaml-language-server: $schema=../generated/descriptor.schema.json
# What every key does is in docs/descriptors.md. After a change: npm run generate && npm start

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
      # A list, kept as JSON.
      tags: { type: array, items: { type: string, maxLength: 50 }, maxItems: 50, default: [] }
      # The id of an uploaded file; Blob/lookup finds the objects that use one.
      blobId: { type: [string, 'null'], blob: true, description: A file that belongs to it. }
    required: [name]

    # What /query filters by: the name of a condition, and how it compares its property.
    filter:
      name: contains # in any letter case
      done: equals
      dueBefore: { property: due, is: before } # a condition with a name of its own
      dueAfter: { property: due, is: after }

    # What /query sorts by. An index makes sorts of many records faster and writes slower.
    sort: [name, { property: due, indexed: true }, created, updated]
`;
}
