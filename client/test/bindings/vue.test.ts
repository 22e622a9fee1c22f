import { describe, expect, it } from 'vitest';
import { effectScope, nextTick, shallowRef, watchEffect } from 'vue';
import { useLive } from '../../src/bindings/vue.js';
import { Followed } from './followed.js';

describe('the ref of a value', () => {
  it('follows it until its scope ends', async () => {
    const source = new Followed('a');
    const scope = effectScope();
    const seen: string[] = [];
    scope.run(() => {
      const value = useLive(source);
      watchEffect(() => seen.push(value.value));
    });
    source.set('b');
    await nextTick();
    expect(seen).toEqual(['a', 'b']);
    expect(source.followers).toBe(1);
    scope.stop();
    expect(source.followers).toBe(0);
  });

  it('follows another source in place of the first', () => {
    const [one, other] = [new Followed('one'), new Followed('other')];
    const source = shallowRef<Followed<string> | null>(one);
    const scope = effectScope();
    const value = scope.run(() => useLive(source, 'none'));
    source.value = other;
    expect(value?.value).toBe('other');
    expect([one.followers, other.followers]).toEqual([0, 1]);
    one.set('late');
    expect(value?.value).toBe('other');
    source.value = null;
    expect(value?.value).toBe('none');
    expect(other.followers).toBe(0);
    scope.stop();
  });

  it('of a source that a getter makes follows what the getter reads', () => {
    const sources = { a: new Followed('a'), b: new Followed('b') };
    const name = shallowRef<'a' | 'b'>('a');
    const scope = effectScope();
    const value = scope.run(() => useLive(() => sources[name.value]));
    name.value = 'b';
    expect(value?.value).toBe('b');
    scope.stop();
    expect(sources.b.followers).toBe(0);
  });
});
