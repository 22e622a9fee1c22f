import { describe, expect, it } from 'vitest';
import { declaredObject, emptyObject, isPlainObject } from '../../src/protocol/json.js';

const MEMBERS = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'text'];

describe.each([
  ['declaredObject', declaredObject],
  ['emptyObject', emptyObject],
])('%s', (_name, make) => {
  it('has no member, by whatever name it is asked', () => {
    const object = make();
    for (const name of MEMBERS) {
      expect(object[name]).toBeUndefined();
      expect(name in object).toBe(false);
    }
  });

  it('takes any name for a member of its own', () => {
    const object = make();
    for (const name of MEMBERS) object[name] = name;
    expect(Object.keys(object)).toEqual(MEMBERS);
    expect(Object.hasOwn(object, '__proto__')).toBe(true);
    expect(JSON.parse(JSON.stringify(object))).toEqual(object);
    for (const name of MEMBERS) expect(make()[name]).toBeUndefined();
  });

  it('is plain', () => {
    expect(isPlainObject(make())).toBe(true);
  });
});

describe('isPlainObject', () => {
  it('is false for an object of a class', () => {
    expect(isPlainObject({})).toBe(true);
    for (const value of [new Date(), new Map(), Buffer.alloc(1), []]) {
      expect(isPlainObject(value)).toBe(false);
    }
  });
});
