import { describe, expect, it } from 'vitest';
import { findScope, listScopes, openCapabilities } from '../../src/protocol/open-capabilities.js';

const OPEN = { urn: 'urn:open' };
const TODOS = { urn: 'urn:todos', oauthScopes: { full: 'todos', read: 'todos.read' } };
const NOTES = { urn: 'urn:notes', oauthScopes: { full: 'notes' } };
const ALL = [OPEN, TODOS, NOTES];

/** Opens the capabilities by scopes. */
const open = (...scopes: string[]) => Object.fromEntries(openCapabilities(ALL, scopes) ?? []);

describe('scopes of a token', () => {
  it('open all capabilities where no descriptor asks for a scope', () => {
    expect(openCapabilities([OPEN, { urn: 'urn:other' }], [])).toBe(null);
    expect(openCapabilities([], ['todos'])).toBe(null);
  });

  it('leave only capabilities without scopes to a token that has none', () => {
    expect(open()).toEqual({ 'urn:open': 'full' });
    expect(open('openid', 'TODOS', 'todos.rea')).toEqual({ 'urn:open': 'full' });
  });

  it('open a capability to reading or to everything, and the wider one counts', () => {
    expect(open('todos.read')).toEqual({ 'urn:open': 'full', 'urn:todos': 'read' });
    expect(open('todos')).toEqual({ 'urn:open': 'full', 'urn:todos': 'full' });
    expect(open('todos.read', 'todos')).toEqual({ 'urn:open': 'full', 'urn:todos': 'full' });
    expect(open('notes', 'todos.read')).toEqual({
      'urn:open': 'full',
      'urn:todos': 'read',
      'urn:notes': 'full',
    });
  });

  it('give the same map in whatever order the token has them', () => {
    const [one, other] = [
      ['todos', 'notes'],
      ['notes', 'todos'],
    ].map((scopes) => [...(openCapabilities(ALL, scopes) ?? [])]);
    expect(one).toEqual(other);
  });

  it('may be shared by capabilities, and are listed once', () => {
    const shared = { urn: 'urn:more', oauthScopes: { full: 'todos', read: 'more.read' } };
    const opened = openCapabilities([TODOS, shared], ['todos']);
    expect([...(opened ?? []).keys()]).toEqual(['urn:todos', 'urn:more']);
    expect(listScopes([...ALL, shared])).toEqual(['todos', 'todos.read', 'notes', 'more.read']);
    expect(listScopes([OPEN])).toEqual([]);
  });

  it('are named by what a request lacks', () => {
    expect([findScope(TODOS, 'read'), findScope(TODOS, 'full')]).toEqual(['todos.read', 'todos']);
    expect([findScope(NOTES, 'read'), findScope(OPEN, 'read')]).toEqual(['notes', undefined]);
  });
});
