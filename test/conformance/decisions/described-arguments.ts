import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { query } from '../../../conform/src/subject/queries.js';
import type { Subject } from '../../../conform/src/subject/subject.js';
import { listSchemaValues, toSchema } from '../../../conform/src/subject/values.js';
import type { StandardMethodName } from '../../../src/capability/definition.js';

/** Further members that a descriptor declares of standard methods. */

type Call = (name: StandardMethodName, more: object) => Promise<[string, object]>;

/** A call that changes nothing, with what its method requires. */
async function calling(subject: Subject): Promise<Call> {
  const { client, type, A1: accountId } = subject;
  const required: Partial<Record<StandardMethodName, object>> = {
    get: { ids: [] },
    changes: { sinceState: await subject.readState(accountId) },
    ...(subject.has('copy') ? { copy: { fromAccountId: subject.A2, create: {} } } : {}),
    ...(subject.has('query', 'queryChanges') ? { queryChanges: await sinceQuery(subject) } : {}),
  };
  return (name, more) => client.call(`${type}/${name}`, { accountId, ...required[name], ...more });
}

async function sinceQuery(subject: Subject): Promise<object> {
  const { queryState } = await query(subject, { limit: 1 });
  return { sinceQueryState: queryState };
}

/** Methods with arguments of their own. */
const furtherOf = ({ described }: Subject) =>
  described.methods.flatMap(({ name, arguments: further, response }) =>
    further === undefined ? [] : [{ name, further, response }],
  );

const hasFurther = (subject: Subject): string | null =>
  furtherOf(subject).length > 0 ? null : 'The type declares no arguments of its own.';

export const describedArgumentDecisions = typeChecks(
  '3.2',
  { methods: ['get'], singleton: 'both' },
  [
    {
      id: 'described-arguments',
      level: 'must',
      rule:
        'Further arguments of a standard method take what the descriptor’s schema of them says, ' +
        'and are invalidArguments otherwise; one that it doesn’t declare is as well. A response ' +
        'has the members that the descriptor says it has.',
      applies: hasFurther,
      async run(subject) {
        const call = await calling(subject);
        for (const { name, further, response } of furtherOf(subject)) {
          for (const [argument, schema] of Object.entries(further.properties ?? {})) {
            const { good, bad } = listSchemaValues(toSchema(schema));
            for (const value of good)
              expect({ argument, value, answer: await call(name, { [argument]: value }) }).toEqual({
                argument,
                value,
                answer: [`${subject.type}/${name}`, expect.anything()],
              });
            // null stands for an argument's default (RFC 8620 3.5); what isn't stored may have
            // U+0000.
            const wrong = bad.filter((one) => one !== null && !/\\u0000/.test(JSON.stringify(one)));
            for (const value of wrong)
              expect({ argument, value, answer: await call(name, { [argument]: value }) }).toEqual({
                argument,
                value,
                answer: subject.matchError('invalidArguments', argument),
              });
          }
          const [, told] = await call(name, {});
          for (const member of response?.required ?? []) expect(told).toHaveProperty(member);
          const answer = await call(name, { noSuchArgument: 1 });
          expect(answer).toEqual(subject.matchError('invalidArguments', 'noSuchArgument'));
        }
      },
    },
  ],
);
