import { describe, expect, expectTypeOf, it } from 'vitest';
import type { MethodErrorType } from '../../../src/protocol/errors.js';
import {
  type CallError,
  MethodError,
  NeedsAuthError,
  RequestError,
  TransportError,
} from '../../src/index.js';
import { TRANSPORTS, useTodos } from '../support/todos.js';

describe.each(TRANSPORTS)('by %s', (_, over) => {
  const served = useTodos({ over }, ['AR', 'AN']);

  /** Resolves to why a call has no answer. */
  const errorOf = (promise: Promise<unknown>): Promise<CallError> =>
    promise.then(
      () => Promise.reject(new Error('The call succeeded.')),
      (error: CallError) => error,
    );

  describe('an error of a method reaches its member of the union', () => {
    it.each<[MethodErrorType, string, object]>([
      ['invalidArguments', 'Todo/get', { ids: 'a' }],
      ['unsupportedFilter', 'Todo/query', { filter: { nothing: 1 } }],
      ['unsupportedSort', 'Todo/query', { sort: ['nothing'] }],
      ['anchorNotFound', 'Todo/query', { anchor: 'none' }],
      ['cannotCalculateChanges', 'Todo/changes', { sinceState: 'x' }],
      ['stateMismatch', 'Todo/set', { ifInState: 'x' }],
      ['fromAccountNotFound', 'Todo/copy', { fromAccountId: 'x', create: {} }],
    ])('%s', async (type, method, args) => {
      const me = (await served.connect()).account();
      const [name = '', verb = ''] = method.split('/');
      const calls = me as never as Record<string, Record<string, (args: object) => Promise<never>>>;
      const error = await errorOf(calls[name]?.[verb]?.(args) ?? Promise.resolve());
      expect(error).toBeInstanceOf(MethodError);
      expect(error).toMatchObject({ name: 'MethodError', type, method });
    });

    it('accountReadOnly, accountNotSupportedByMethod', async () => {
      const client = await served.connect();
      const { AR, AN } = served.fixtures();
      const set = (id: string) => client.account(id).Todo.set({ create: { a: { text: '' } } });
      expect(await errorOf(set(AR))).toMatchObject({ type: 'accountReadOnly' });
      expect(await errorOf(set(AN))).toMatchObject({ type: 'accountNotSupportedByMethod' });
    });

    it('all that the server has', async () => {
      const types: MethodErrorType[] = [
        ...(['accountNotFound', 'forbidden', 'serverFail', 'serverUnavailable'] as const),
        ...(['requestTooLarge', 'tooManyChanges', 'unknownMethod', 'unknownDataType'] as const),
      ];
      const me = (await served.connect()).account();
      for (const type of types) {
        const methodResponses = [['error', { type, description: 'why' }, '0']];
        const body = { methodResponses, sessionState: 's' };
        served.proxy().decideNext({ status: 200, body });
        const error = await errorOf(me.Todo.get());
        expect(error).toMatchObject({ type, args: { description: 'why' } });
      }
    });
  });

  describe('an error of the request', () => {
    it.each(['unknownCapability', 'notJSON', 'notRequest', 'limit'] as const)(
      '%s has the members of its problem',
      async (type) => {
        const me = (await served.connect()).account();
        const urn = `urn:ietf:params:jmap:error:${type}`;
        const body = { type: urn, status: 400, detail: 'why', limit: 'maxCallsInRequest' };
        served.proxy().decideNext({ status: 400, body });
        const error = await errorOf(me.Todo.set({}));
        expect(error).toBeInstanceOf(RequestError);
        expect(error).toMatchObject({ type, status: 400, limit: 'maxCallsInRequest' });
        expect(error).toMatchObject({ problem: body });
      },
    );

    it('comes from the server', async () => {
      const client = await served.connect();
      const error = await errorOf(client.raw(['urn:none'], []));
      expect(error).toMatchObject({ type: 'unknownCapability', status: 400 });
    });

    it('that JMAP has no name for has its status', async () => {
      const me = (await served.connect()).account();
      served.proxy().decideNext({ status: 403, body: { detail: 'no' } });
      expect(await errorOf(me.Todo.get())).toMatchObject({ type: 'http', status: 403 });
      served.proxy().decideNext({ status: 500 });
      expect(await errorOf(me.Todo.get())).toMatchObject({ type: 'http', status: 500 });
    });
  });

  it('an answer that is no Response is an error of the transport', async () => {
    const me = (await served.connect()).account();
    served.proxy().decideNext({ status: 200, body: { hello: 'portal' } }, { status: 200 });
    expect(await errorOf(me.Todo.set({}))).toBeInstanceOf(TransportError);
    expect(await errorOf(me.Todo.set({}))).toMatchObject({ type: 'transport' });
    const body = { methodResponses: [], sessionState: 's' };
    served.proxy().decideNext({ status: 200, body });
    expect(await errorOf(me.Todo.set({}))).toBeInstanceOf(TransportError);
  });

  it('a switch over the type tells all errors apart', () => {
    const narrow = (error: CallError): void => {
      switch (error.type) {
        case 'stateMismatch':
          expectTypeOf(error).toEqualTypeOf<MethodError>();
          break;
        case 'limit':
          expectTypeOf(error).toEqualTypeOf<RequestError>();
          break;
        case 'transport':
          expectTypeOf(error).toEqualTypeOf<TransportError>();
          break;
        case 'needsAuth':
          expectTypeOf(error).toEqualTypeOf<NeedsAuthError>();
          break;
        default:
          expectTypeOf(error).toEqualTypeOf<MethodError | RequestError>();
      }
    };
    expect(() => narrow(new NeedsAuthError())).not.toThrow();
  });

  it('an error of a /set is typed by its type', async () => {
    const me = (await served.connect()).account();
    const { notCreated } = await me.Todo.set({ create: { k: { text: 7 as never } } });
    const error = notCreated?.k;
    if (error?.type !== 'invalidProperties') throw new Error(`It is ${error?.type}.`);
    expectTypeOf(error.properties).toEqualTypeOf<readonly ('text' | 'done')[] | undefined>();
    expect(error.properties).toEqual(['text']);
  });
});
