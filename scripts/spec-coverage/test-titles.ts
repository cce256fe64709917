import { parseSync } from 'vite';

/** A test as it is written: its title with the titles of the blocks around it. A table of cases is one test. */
export interface WrittenTest {
  /** All that its name can be made of: titles, both arms of a choice, and the texts of the table behind `$name` or `%s`. */
  readonly title: string;
  readonly line: number;
}

// biome-ignore lint/suspicious/noExplicitAny: nodes of a syntax tree, told apart by `type`
type Node = any;

const BLOCKS = new Set(['describe', 'suite']);
const TESTS = new Set(['it', 'test']);

/** The tests of a source file. Those that never run (`skip`, `todo`) are not among them. */
export function writtenTests(file: string, source: string): WrittenTest[] {
  const { program, errors } = parseSync(file, source);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  const tests: WrittenTest[] = [];
  visit(program, [], {
    constants: constantsOf(program),
    found: (title, start) => tests.push({ title, line: source.slice(0, start).split('\n').length }),
  });
  return tests;
}

interface Walk {
  readonly constants: ReadonlyMap<string, Node>;
  found(title: string, start: number): void;
}

function visit(node: Node, around: readonly string[], walk: Walk): void {
  if (Array.isArray(node)) {
    for (const child of node) visit(child, around, walk);
    return;
  }
  if (typeof node !== 'object' || node === null || typeof node.type !== 'string') return;
  const call = node.type === 'CallExpression' ? titledCall(node) : null;
  if (call === null) {
    for (const child of Object.values(node)) visit(child, around, walk);
    return;
  }
  if (call.never) return;
  const title = texts(node.arguments[0], walk.constants).join(' ');
  const cases = /[$%]/.test(title) ? call.tables.flatMap((table) => texts(table, walk.constants)) : [];
  const titles = [...around, [title, ...cases].join(' ')];
  if (call.isTest) walk.found(titles.join(' '), node.start);
  // Tests may stand in functions that a block calls; they have the block's titles.
  for (const argument of node.arguments.slice(1)) visit(argument, titles, walk);
}

interface TitledCall {
  readonly isTest: boolean;
  readonly never: boolean;
  /** Arguments of `each` and `for`. */
  readonly tables: readonly Node[];
}

/** `test('…', …)`, `test.each([…])('…', …)`, `describe.skipIf(…)('…', …)`: a call whose first argument is a title. */
function titledCall(node: Node): TitledCall | null {
  const modifiers: string[] = [];
  const tables: Node[] = [];
  let callee = node.callee;
  while (callee.type !== 'Identifier') {
    if (callee.type === 'CallExpression') {
      tables.push(...callee.arguments);
      callee = callee.callee;
    } else if (callee.type === 'TaggedTemplateExpression') {
      tables.push(callee.quasi);
      callee = callee.tag;
    } else if (callee.type === 'MemberExpression' && callee.property.type === 'Identifier') {
      modifiers.push(callee.property.name);
      callee = callee.object;
    } else {
      return null;
    }
  }
  const isTest = TESTS.has(callee.name);
  if (!isTest && !BLOCKS.has(callee.name)) return null;
  // `test.each([…])` alone makes the function that takes the title; `test.extend({…})` has none.
  const waits = modifiers.length > 0 && ['each', 'for', 'skipIf', 'runIf', 'extend'].includes(modifiers[0] ?? '');
  if (node.arguments.length === 0 || (waits && node.callee.type === 'MemberExpression')) return null;
  return { isTest, never: modifiers.some((name) => name === 'skip' || name === 'todo'), tables };
}

/** Every text in an expression, those of constants of the file that it names included. */
function texts(node: Node, constants: ReadonlyMap<string, Node>, named: ReadonlySet<string> = new Set()): string[] {
  if (Array.isArray(node)) return node.flatMap((child) => texts(child, constants, named));
  if (typeof node !== 'object' || node === null) return [];
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [node.value] : [];
    case 'TemplateElement':
      return [node.value.cooked ?? node.value.raw];
    case 'Identifier': {
      const constant = named.has(node.name) ? undefined : constants.get(node.name);
      return constant === undefined ? [] : texts(constant, constants, new Set([...named, node.name]));
    }
    case 'MemberExpression':
      return texts(node.object, constants, named);
    default:
      return Object.values(node).flatMap((child) => texts(child, constants, named));
  }
}

function constantsOf(program: Node): Map<string, Node> {
  const constants = new Map<string, Node>();
  for (const statement of program.body) {
    const declaration = statement.declaration ?? statement;
    if (declaration.type !== 'VariableDeclaration' || declaration.kind !== 'const') continue;
    for (const { id, init } of declaration.declarations) {
      if (id.type === 'Identifier' && init !== null) constants.set(id.name, init);
    }
  }
  return constants;
}
