import { describe, expect, it } from 'vitest';
import { Variable } from '../../src/cache/observable.js';

describe('a listener', () => {
  it('hears nothing once it is removed, by another listener of the same round too', () => {
    const variable = new Variable(0);
    const heard: number[] = [];
    let stop = (): void => undefined;
    variable.subscribe((value) => {
      if (value === 1) stop();
    });
    stop = variable.subscribe((value) => heard.push(value));
    variable.set(1);
    variable.set(2);
    expect(heard).toEqual([0]);
  });

  it('hears no older value behind the one that another listener has set', () => {
    const variable = new Variable(0);
    const heard: number[] = [];
    variable.subscribe((value) => {
      if (value === 1) variable.set(2);
    });
    variable.subscribe((value) => heard.push(value));
    variable.set(1);
    expect(heard).toEqual([0, 2]);
    variable.set(3);
    expect(heard).toEqual([0, 2, 3]);
  });
});
