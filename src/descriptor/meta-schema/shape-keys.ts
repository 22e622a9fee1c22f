import type { JSONSchema7 } from 'json-schema';
import { text } from './key-schemas.js';

/** `query` of a type: shapes of results. */
export const queryShapes: JSONSchema7 = {
  type: 'object',
  description: 'The shapes that results of /query take by an argument of the call.',
  examples: [{ collapse: { argument: 'collapseThreads', by: 'threadId' } }],
  properties: {
    collapse: {
      type: 'object',
      description: 'Of the results with one value of a property the first alone is left.',
      examples: [{ argument: 'collapseThreads', by: 'threadId' }],
      properties: {
        argument: text('The argument, a Boolean, that asks for it.', 'collapseThreads'),
        by: text('The property, a string.', 'threadId'),
      },
      required: ['argument', 'by'],
      additionalProperties: false,
    },
    tree: {
      type: 'object',
      description: 'Results below others, by a reference of the type to itself.',
      examples: [{ by: 'parentId', sort: 'sortAsTree', filter: 'filterAsTree' }],
      properties: {
        by: text('The reference, which is acyclic.', 'parentId'),
        sort: text(
          'The argument that has each object behind the one that it lies below.',
          'sortAsTree',
        ),
        filter: text(
          'The argument that leaves out what lies below an object that is left out.',
          'filterAsTree',
        ),
      },
      required: ['by'],
      additionalProperties: false,
    },
  },
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
};
