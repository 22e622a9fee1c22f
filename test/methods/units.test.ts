import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { todoType } from '../../generated/todos/Todo.definition.js';
import type { ValidationIssue } from '../../src/capability/validation.js';
import { MethodCall } from '../../src/methods/call.js';
import type { RequestScope, RequestSource } from '../../src/methods/context.js';
import { resolveId } from '../../src/methods/creation-ids.js';
import { complaintsOf, sentence } from '../../src/methods/issues.js';
import { planSet } from '../../src/methods/set/plan-set.js';
import { parseState, requireUnbroken } from '../../src/methods/states.js';
import { declaredMembers, firstToken, indexOf } from '../../src/methods/type-index.js';
import type { MethodError } from '../../src/protocol/errors.js';
import { Rig, U1 } from './rig.js';

let rig: Rig;

beforeEach(() => {
  rig = new Rig({ changesKeep: 1000 });
});
afterEach(() => rig.close());

describe('MethodCall: the octets of a response', () => {
  function open(
    remainingOctets: number,
    room?: RequestSource['room'],
  ): { call: MethodCall; scope: RequestScope } {
    const scope = {
      principal: U1,
      using: new Set<string>(),
      isLong: false,
      isGone: () => false,
      createdIds: new Map(),
      remainingOctets,
      readAhead: null,
      room,
    };
    const method = rig.services.registry.methods.get('Core/echo');
    if (method === undefined) throw new Error('Core/echo is registered.');
    const call = new MethodCall({
      services: rig.services,
      request: scope,
      method,
      account: undefined,
      deadline: 0,
      callId: 'c',
      showsCreatedIds: true,
    });
    return { call, scope };
  }
  // ["Core/echo",{"a":1},"c"] and a comma.
  const OCTETS = 26;

  it('are taken once, also where a transaction runs again', async () => {
    const { call, scope } = open(100);
    const response = { a: 1 };
    await call.admit(response);
    const { text } = await call.admit(response);
    expect(scope.remainingOctets).toBe(100 - OCTETS);
    expect(text).toBe('["Core/echo",{"a":1},"c"]');
    expect(scope.remainingOctets).toBe(100 - OCTETS);
  });

  it('are given back where the call fails after all', async () => {
    const { call, scope } = open(100);
    await call.admit({ a: 1 });
    call.release();
    call.release();
    expect(scope.remainingOctets).toBe(100);
  });

  it('of a large response are taken from the memory for answers, until it fails', async () => {
    const taken: number[] = [];
    let hasRoom = true;
    const room = {
      take(octets: number) {
        if (hasRoom) taken.push(octets);
        return hasRoom;
      },
      giveBack: (octets: number) => void taken.push(-octets),
    };
    const { call, scope } = open(1_000_000, room);
    const small = { a: 'x'.repeat(65_000) };
    const large = { a: 'x'.repeat(66_000) };
    const octets = 66_000 + OCTETS + 1;
    await call.admit(small);
    expect(taken).toEqual([]);
    await call.admit(large);
    await call.admit(large);
    expect(taken).toEqual([octets, -octets, octets]);
    call.release();
    call.release();
    expect(taken.at(-1)).toBe(-octets);
    hasRoom = false;
    await expect(call.admit(large)).rejects.toThrow(/Try again/);
    call.release();
    expect([taken.length, scope.remainingOctets]).toEqual([4, 1_000_000]);
    await call.admit(small);
  });

  it('fit exactly or not at all, new creation ids included', async () => {
    await open(OCTETS).call.admit({ a: 1 });
    await expect(open(OCTETS - 1).call.admit({ a: 1 })).rejects.toThrow('larger');
    // "k":"id", is 9 octets.
    await open(OCTETS + 9).call.admit({ a: 1 }, { createdIds: new Map([['k', 'id']]) });
    await expect(
      open(OCTETS + 8).call.admit({ a: 1 }, { createdIds: new Map([['k', 'id']]) }),
    ).rejects.toThrow('larger');
  });
});

describe('planSet', () => {
  it('looks at no more ids than a call may destroy, and one', () => {
    let reads = 0;
    const destroy = new Proxy(
      Array.from({ length: 10_000 }, (_, n) => `r${n}`),
      {
        get(target, name, receiver) {
          reads += 1;
          return Reflect.get(target, name, receiver);
        },
      },
    );
    const scene = { createdIds: new Map(), maximum: 10, ids: rig.services.ids };
    const plan = planSet(indexOf(todoType), { destroy }, scene);
    expect(() => plan.next()).toThrow('maxObjectsInSet (10)');
    expect(reads).toBeLessThan(100);
  });
});

describe('states', () => {
  const record = (number: number, at = 5000): Parameters<typeof requireUnbroken>[0][number] => ({
    number,
    objectId: 'r',
    kind: 'created',
    at,
    properties: null,
  });
  const judge = (numbers: readonly number[], current: number, complete = true): string | null => {
    rig.time = 6000;
    try {
      requireUnbroken(
        numbers.map((number) => record(number)),
        { since: 3, current },
        complete,
        rig.services,
      );
      return null;
    } catch (error) {
      return (error as MethodError).type;
    }
  };

  it('change records must go on from the state, without a gap, to the counter', () => {
    expect(judge([4, 5, 6], 6)).toBeNull();
    expect(judge([4, 5], 900, false)).toBeNull();
    expect(judge([4, 5], 900)).toBe('cannotCalculateChanges');
    expect(judge([4, 6], 6)).toBe('cannotCalculateChanges');
    expect(judge([5, 6], 6)).toBe('cannotCalculateChanges');
    expect(judge([], 6)).toBe('cannotCalculateChanges');
  });

  it('only canonical decimals are states', () => {
    expect(['0', '12', '9007199254740991'].map(parseState)).toEqual([0, 12, 2 ** 53 - 1]);
    expect(['', '-1', '01', '1.0', '9007199254740993', '1e3'].map(parseState)).toEqual(
      Array.from({ length: 6 }, () => null),
    );
  });
});

describe('names', () => {
  it('only declared names are renamed, and only where the type takes snake_case', () => {
    const declared = new Set(['dueDate', 'plain_name']);
    const object = { due_date: 1, plain_name: 2, other_name: 3 };
    expect(declaredMembers(object, declared, true)).toEqual({
      object: { dueDate: 1, plain_name: 2, other_name: 3 },
      doubled: [],
    });
    expect(declaredMembers(object, declared, false).object).toEqual(object);
    expect(declaredMembers({ due_date: 1, dueDate: 2 }, declared, true).doubled).toEqual([
      'dueDate',
    ]);
  });

  it('only the first token of a patch is a property', () => {
    const declared = new Set(['dueDate']);
    const patch = { 'due_date/in_here': 1, 'due_date/x': 2 };
    expect(declaredMembers(patch, declared, true, firstToken)).toEqual({
      object: { 'dueDate/in_here': 1, 'dueDate/x': 2 },
      doubled: [],
    });
    const both = { 'due_date/a': 1, 'dueDate/b': 2 };
    expect(declaredMembers(both, declared, true, firstToken).doubled).toEqual(['dueDate']);
  });

  it('RFC 8620 5.3: the first map that knows a creation id decides', () => {
    const own = new Map([['k', 'new']]);
    const earlier = new Map([
      ['k', 'old'],
      ['l', 'other'],
    ]);
    expect(['#k', '#l', '#m', 'k', '#'].map((text) => resolveId(text, own, earlier))).toEqual([
      'new',
      'other',
      null,
      'k',
      null,
    ]);
  });
});

describe('complaints', () => {
  it('say where, and what is legal', () => {
    const errors = [
      { instancePath: '', keyword: 'required', params: { missingProperty: 'text' } },
      { instancePath: '/a~1b/c', keyword: 'type', params: {}, message: 'must be integer' },
      { instancePath: '/kind', keyword: 'enum', params: { allowedValues: ['x', null] } },
      { instancePath: '', keyword: 'type', params: {}, message: 'must be object' },
      { instancePath: '/due', keyword: 'type', params: { type: ['string', 'null'] } },
      { instancePath: '/tags/a', keyword: 'enum', params: { allowedValues: [true] } },
    ].map((issue) => ({ ...issue, schemaPath: `#${issue.instancePath}` }));
    const validator = Object.assign(() => false, { errors: errors as ValidationIssue[] });
    expect(complaintsOf(validator, {})).toEqual([
      { member: 'text', text: '"text" is missing' },
      { member: 'a/b', text: '"a/b/c" must be integer' },
      { member: 'kind', text: '"kind" must be one of "x", null' },
      { member: '', text: 'the value must be object' },
      { member: 'due', text: '"due" must be string or null' },
      { member: 'tags', text: '"tags/a" must be true' },
    ]);
  });

  it('are cut where a client makes very many', () => {
    const many = sentence(Array.from({ length: 10_000 }, (_, index) => `"${index}" is not known`));
    expect(many.length).toBeLessThan(1000);
    expect(many).toContain('9980 more');
    expect(sentence(['a', 'a', 'b'])).toBe('a; b.');
  });
});
