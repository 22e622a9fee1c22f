import { expect, it } from 'vitest';
import { createProject } from '../project.js';

const DESCRIPTOR = `capability: urn:example:things
types:
  Thing:
    properties:
      name: { type: string, default: '' }
    standardMethods:
      get:
        arguments:
          type: object
          properties:
            range: { type: array, items: { type: integer }, minItems: 2 }
            tags: { type: array, items: { type: string }, maxItems: 0 }
            marks: { type: array, items: { type: boolean } }
`;

it('an example has as many items in a list as the list must have', async () => {
  const project = await createProject({ 'things.yaml': DESCRIPTOR });
  expect(await project.generate()).toMatchObject({ code: 0, stderr: '' });
  const page = await project.read('docs/reference/capabilities/things.md');
  const [, example = ''] = /### Thing\/get.*?```json\n(.*?)```/s.exec(page) ?? [];
  const [, args] = JSON.parse(example).methodCalls[0];
  expect(args).toMatchObject({ range: [1, 1], tags: [], marks: [true] });
});
