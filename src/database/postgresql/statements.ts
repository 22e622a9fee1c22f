/**
 * Splits a script into its statements, at semicolons outside of strings, quoted identifiers,
 * comments and dollar quotes.
 */
export function splitStatements(script: string): readonly string[] {
  const statements: string[] = [];
  let start = 0;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(script); match !== null; match = TOKEN.exec(script)) {
    if (match[0] !== ';') continue;
    statements.push(script.slice(start, match.index));
    start = TOKEN.lastIndex;
  }
  statements.push(script.slice(start));
  return statements.map((statement) => statement.trim()).filter(saysSomething);
}

const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|(\$(?:[A-Za-z_]\w*)?\$)[\s\S]*?\1|;/g;

function saysSomething(statement: string): boolean {
  return statement.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, '').trim() !== '';
}
