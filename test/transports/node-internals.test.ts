import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { fitsInternals, TRIED, USES_INTERNALS } from '../../src/transports/http/node-internals.js';

const fits = (): boolean => true;

describe("Node's internals", () => {
  it('are used on the majors that were tried, and on no other', () => {
    expect(TRIED.has(20)).toBe(true);
    for (const version of ['19.9.0', '21.0.0', '99.0.0', '', 'x']) {
      expect(fitsInternals(version, fits)).toBe(false);
    }
    expect(fitsInternals('20.19.0', fits)).toBe(true);
    const major = Number.parseInt(process.versions.node, 10);
    expect(USES_INTERNALS).toBe(TRIED.has(major));
  });

  it('are not where they have another form, or looking at them throws', () => {
    const changes: [object, string, PropertyDescriptor][] = [
      [IncomingMessage.prototype, 'push', { value: () => true }],
      [ServerResponse.prototype, '_storeHeader', { value: () => undefined }],
      [ServerResponse.prototype, 'assignSocket', { value: () => undefined }],
      [ServerResponse.prototype, 'detachSocket', { value: () => undefined }],
      [
        ServerResponse.prototype,
        'assignSocket',
        {
          value: () => {
            throw new Error('Another form.');
          },
        },
      ],
      [ServerResponse.prototype, 'headersSent', { get: () => false }],
      [Socket.prototype, '_httpMessage', { set: () => undefined, get: () => undefined }],
    ];
    expect(fitsInternals('20.19.0')).toBe(true);
    for (const [prototype, name, change] of changes) {
      const before = Object.getOwnPropertyDescriptor(prototype, name);
      Object.defineProperty(prototype, name, { ...change, configurable: true });
      try {
        expect(fitsInternals('20.19.0'), name).toBe(false);
      } finally {
        if (before === undefined) Reflect.deleteProperty(prototype, name);
        else Object.defineProperty(prototype, name, before);
      }
    }
    expect(fitsInternals('20.19.0')).toBe(true);
  });
});
