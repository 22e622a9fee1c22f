/** Names that are legal and that something between a descriptor and a database might trip over. */

export const TYPE_NAMES: readonly string[] = [
  ...['Order', 'Select', 'Group', 'Table', 'User', 'Index', 'Class', 'Delete', 'Default', 'Case'],
  ...['End', 'View', 'Column', 'Row', 'Limit', 'Values', 'Infinity', 'NaN', 'Any', 'Unknown'],
  ...['Never', 'Window', 'Node', 'Event', 'Request', 'Response', 'Hook', 'Model', 'Type', 'Id'],
  ...['Account', 'Session', 'State', 'Change', 'Blobs', 'Reference', 'A', 'Z9', 'Todos'],
  ...['Todo', 'TodoCreate', 'TodoFilter', 'TodoPatch', 'TodoStored', 'Awaited', 'Iterable'],
  ...['TodoGetArguments', 'UTCDate', 'Enum', 'Interface', 'Namespace', 'Sqlite3', 'Standard'],
  ...['A'.repeat(40), `B${'b'.repeat(39)}`],
];

export const PROPERTY_NAMES: readonly string[] = [
  ...['order', 'select', 'group', 'table', 'index', 'from', 'where', 'null', 'default'],
  ...['class', 'new', 'delete', 'function', 'await', 'async', 'yield', 'let', 'var', 'enum'],
  ...['interface', 'type', 'of', 'in', 'is', 'as', 'any', 'never', 'this', 'super', 'arguments'],
  ...['eval', 'static', 'name', 'length', 'key', 'value', 'get', 'set', 'list', 'ids', 'state'],
  ...['filter', 'sort', 'limit', 'position', 'json', 'data', 'text', 'rank', 'casemap', 'folded'],
  ...['instant', 'search', 'undefined', 'infinity', 'naN', 'no', 'yes', 'on', 'off', 'y', 'n'],
  ...['count', 'and', 'or', 'not', 'update', 'create', 'a', 'x1', 'aB', 'aBC', 'object', 'errors'],
  ...['properties', 'description', 'required', 'format', 'session', 'references', 'session2'],
  ...['p'.repeat(40), `q${'Q'.repeat(39)}`],
];

export const MEMBER_NAMES: readonly string[] = [
  ...['street', 'null', 'true', '1', '-', 'a/b', 'a~b', '~1', 'a.b', "it's", '"', '`', '$`{}'],
  ...['ключ', '鍵', '😀', ' ', 'new\nline', '*', '#a', '\\', 'then', 'toJSON', 'length', 'type'],
  ...['$ref', 'properties', 'default', 'enum', '<<', '*/', '//', '\u2028'],
];

/** The second half of an own method's name. */
export const VERBS: readonly string[] = [
  ...['rebuild', 'then', 'constructor', 'toString', 'import', 'class', 'x', 'v'.repeat(40)],
];

export const WORDS: readonly string[] = [
  'Plain words.',
  'Not */ the end, nor /* a start.',
  'Größe ключ 鍵 😀 e\u0301 \u200f\u202e right to left',
  'quotes \' " ` $` \\ and { braces }',
  'two\nlines\n\nand a blank one',
  '| a table | of | Markdown | <b>html</b> [link](x) # heading',
  '\u2028\u2029 line ends of another kind',
  '@deprecated @internal {@link Thing}',
];
