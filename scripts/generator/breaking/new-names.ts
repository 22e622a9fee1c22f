import type { ComputedDefinition } from '../../../src/capability/definition.js';
import { escapeToken, unescapeToken } from '../../../src/protocol/json-pointer.js';
import type { Renamed } from '../migrations/lineage.js';

/**
 * Returns the released way of computing a property of the type that was called `own`, by the names
 * that things have now.
 */
export function underNewNames(
  computed: ComputedDefinition,
  own: string,
  renames: readonly Renamed[],
): ComputedDefinition {
  const of = (type: string) => renames.find(({ from }) => from === type);
  const property = (type: string, name: string) =>
    of(type)?.properties.find(({ from }) => from === name)?.to ?? name;
  const type = (name: string) => of(name)?.to ?? name;
  switch (computed.kind) {
    case 'from': {
      const properties = computed.properties.map((name) => property(own, name));
      return { kind: 'from', properties };
    }
    case 'count': {
      const [first = '', ...path] = computed.by.split('/');
      const by = [escapeToken(property(computed.type, unescapeToken(first))), ...path].join('/');
      return { kind: 'count', type: type(computed.type), by };
    }
    case 'on': {
      const sources = computed.sources.map((source) => ({
        type: type(source.type),
        property: property(source.type, source.property),
      }));
      return { kind: 'on', sources };
    }
  }
}
