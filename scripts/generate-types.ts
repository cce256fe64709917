import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TsType, TsTypeElement, TsTypeLiteral } from '@swc/core';
import { parseSync } from '@swc/core';

/**
 * Generates `protocol.generated.ts`: the types of the Codex app-server protocol that the adapter uses, taken from the
 * pinned `@openai/codex` (docs/architecture.md, "Boundaries").
 *
 *     npm run generate-types              writes the file
 *     npm run generate-types -- --check   exits with 1 when the file is out of date
 *
 * A type reaches the file when it is a root or is used by a kept part of one that does. `SHAPES` cuts the big types
 * down to what is used; naming a part that Codex no longer has is an error, so no change goes unseen.
 */

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));
const TARGET = join(REPOSITORY, 'src/adapters/codex-app-server/protocol.generated.ts');
const CODEX_PACKAGE = join(REPOSITORY, 'node_modules/@openai/codex');

/** Params and results that `protocol.ts` names. */
const ROOTS: Readonly<Record<string, string>> = {
  requestsOfOurs: `
    CancelLoginAccountParams ConfigReadParams ConfigReadResponse GetAccountParams GetAccountRateLimitsResponse
    GetAccountResponse InitializeParams InitializeResponse ListMcpServerStatusParams ListMcpServerStatusResponse
    LoginAccountParams LoginAccountResponse ModelListParams ModelListResponse PermissionProfileListParams
    PermissionProfileListResponse ReviewStartParams ReviewStartResponse SkillsExtraRootsSetParams SkillsListParams
    SkillsListResponse ThreadBackgroundTerminalsListParams ThreadBackgroundTerminalsListResponse
    ThreadBackgroundTerminalsTerminateParams ThreadCompactStartParams ThreadGoalClearParams ThreadGoalClearResponse
    ThreadGoalGetParams ThreadGoalGetResponse ThreadGoalSetParams ThreadGoalSetResponse ThreadResumeParams
    ThreadResumeResponse ThreadSampleParams ThreadSampleResponse ThreadSetNameParams ThreadArchiveParams ThreadReadParams ThreadReadResponse ThreadSettingsUpdateParams
    ThreadStartParams ThreadStartResponse ThreadTurnsListParams ThreadTurnsListResponse ThreadUnsubscribeParams
    TurnInterruptParams TurnStartParams TurnStartResponse TurnSteerParams TurnSteerResponse`,
  notificationsOfCodex: `
    AccountLoginCompletedNotification AccountRateLimitsUpdatedNotification AccountUpdatedNotification
    AgentMessageDeltaNotification CommandExecutionOutputDeltaNotification ConfigWarningNotification
    ContextCompactedNotification DeprecationNoticeNotification ErrorNotification FileChangePatchUpdatedNotification
    ItemCompletedNotification ItemStartedNotification McpToolCallProgressNotification ModelReroutedNotification
    PlanDeltaNotification ReasoningSummaryPartAddedNotification ReasoningSummaryTextDeltaNotification
    ReasoningTextDeltaNotification ServerRequestResolvedNotification SkillsChangedNotification
    TerminalInteractionNotification ThreadArchivedNotification ThreadClosedNotification
    ThreadGoalClearedNotification ThreadGoalUpdatedNotification ThreadNameUpdatedNotification
    ThreadStatusChangedNotification ThreadTokenUsageUpdatedNotification ThreadUnarchivedNotification
    TurnCompletedNotification TurnDiffUpdatedNotification TurnPlanUpdatedNotification TurnStartedNotification
    WarningNotification`,
  requestsOfCodex: `
    ApplyPatchApprovalResponse CommandExecutionRequestApprovalParams CommandExecutionRequestApprovalResponse
    DynamicToolCallResponse ExecCommandApprovalResponse FileChangeRequestApprovalParams
    FileChangeRequestApprovalResponse McpServerElicitationRequestParams McpServerElicitationRequestResponse
    PermissionsRequestApprovalParams PermissionsRequestApprovalResponse ToolRequestUserInputParams
    ToolRequestUserInputResponse`,
};

/** Types whose values pass through unread. */
const OPAQUE: ReadonlySet<string> = new Set([
  'AskForApproval',
  'CodexErrorInfo',
  'FileSystemSpecialPath',
  'GrantedPermissionProfile',
  'JsonValue',
  'McpToolCallError',
  'McpToolCallResult',
  'Tool',
  'ToolRequestUserInputAnswer',
  'TurnEnvironmentParams',
]);

/** Sets of names that Codex extends at will: the adapter takes any string. */
const OPEN_STRINGS: ReadonlySet<string> = new Set([
  'AccountUpdateReason',
  'AgentMessageDelivery',
  'ApprovalsReviewer',
  'AuthMode',
  'CommandExecutionApprovalKind',
  'InputModality',
  'McpAuthStatus',
  'McpServerConnectionStatus',
  'ModeKind',
  'ModelRerouteReason',
  'NetworkApprovalProtocol',
  'PlanType',
  'ThreadActiveFlag',
  'ThreadGoalStatus',
]);

/** Fields of an object type, or the variants of a union by their tag (`type`) with the fields of each. */
type Shape =
  | { readonly fields: readonly string[] }
  | { readonly tag?: string; readonly variants: Readonly<Record<string, readonly string[] | 'all'>> };

const SHAPES: Readonly<Record<string, Shape>> = {
  AccountLoginCompletedNotification: { fields: ['loginId', 'success', 'error'] },
  AgentMessageDisplay: { tag: 'mode', variants: { show: [], hide: [], block: [] } },
  AgentMessageModeration: { fields: ['display'] },
  ActivePermissionProfile: { fields: ['id'] },
  Config: { fields: ['model_provider', 'approval_policy', 'approvals_reviewer', 'developer_instructions'] },
  ConfigLayer: { fields: ['config'] },
  ConfigReadResponse: { fields: ['config', 'layers'] },
  ConfigWarningNotification: { fields: ['summary', 'details'] },
  CreditsSnapshot: { fields: ['unlimited', 'balance'] },
  DynamicToolCallOutputContentItem: { variants: { inputText: 'all' } },
  GetAccountRateLimitsResponse: { fields: ['rateLimits', 'rateLimitsByLimitId'] },
  GetAccountResponse: { fields: ['account', 'requiresOpenaiAuth'] },
  InitializeCapabilities: { fields: ['experimentalApi', 'requestAttestation'] },
  InitializeResponse: { fields: ['codexHome'] },
  ItemCompletedNotification: { fields: ['item', 'threadId', 'turnId'] },
  ItemStartedNotification: { fields: ['item', 'threadId', 'turnId'] },
  ListMcpServerStatusParams: { fields: ['cursor', 'detail', 'threadId'] },
  LoginAccountParams: { variants: { apiKey: 'all', chatgpt: [], chatgptDeviceCode: 'all' } },
  LoginAccountResponse: { variants: { apiKey: 'all', chatgpt: 'all', chatgptDeviceCode: 'all' } },
  McpServerElicitationRequestParams: { fields: ['threadId', 'turnId'] },
  McpServerStatus: { fields: ['name', 'runtimeStatus', 'tools', 'toolsError', 'authStatus'] },
  Model: {
    fields: [
      'id',
      'model',
      'displayName',
      'description',
      'supportedReasoningEfforts',
      'defaultReasoningEffort',
      'inputModalities',
      'additionalSpeedTiers',
      'serviceTiers',
      'isDefault',
    ],
  },
  ModelListParams: { fields: ['cursor', 'limit'] },
  ModelServiceTier: { fields: ['id'] },
  PermissionsRequestApprovalParams: { fields: ['threadId', 'turnId'] },
  RateLimitSnapshot: {
    fields: [
      'limitId',
      'limitName',
      'primary',
      'secondary',
      'credits',
      'individualLimit',
      'spendControlReached',
      'planType',
    ],
  },
  ReviewStartResponse: { fields: ['turn'] },
  SkillInterface: { fields: ['shortDescription'] },
  SkillMetadata: { fields: ['name', 'description', 'shortDescription', 'interface', 'path', 'enabled'] },
  SkillsListEntry: { fields: ['skills'] },
  SkillsListParams: { fields: ['cwds'] },
  Thread: { fields: ['id', 'status', 'name', 'preview', 'modelProvider', 'model', 'reasoningEffort', 'path'] },
  ThreadBackgroundTerminal: { fields: ['itemId', 'processId'] },
  ThreadGoal: {
    fields: ['objective', 'status', 'tokenBudget', 'tokensUsed', 'timeUsedSeconds', 'createdAt', 'updatedAt'],
  },
  ThreadGoalClearParams: { fields: ['threadId'] },
  ThreadGoalSetParams: { fields: ['threadId', 'objective', 'status'] },
  ThreadGoalUpdatedNotification: { fields: ['threadId', 'goal'] },
  ThreadItem: {
    variants: {
      agentMessage: ['id', 'text', 'phase', 'moderation', 'delivery', 'questions'],
      commandExecution: [
        'id',
        'command',
        'cwd',
        'processId',
        'source',
        'status',
        'commandActions',
        'aggregatedOutput',
        'exitCode',
      ],
      contextCompaction: 'all',
      enteredReviewMode: 'all',
      exitedReviewMode: 'all',
      fileChange: 'all',
      imageView: 'all',
      mcpToolCall: ['id', 'server', 'tool', 'status', 'arguments', 'result', 'error'],
      plan: 'all',
      reasoning: 'all',
      userMessage: ['id', 'clientId'],
      webSearch: 'all',
    },
  },
  ThreadReadParams: { fields: ['threadId'] },
  ThreadReadResponse: { fields: ['thread'] },
  ThreadResumeParams: {
    fields: [
      'threadId',
      'excludeTurns',
      'config',
      'cwd',
      'model',
      'modelProvider',
      'developerInstructions',
      'approvalPolicy',
      'approvalsReviewer',
      'permissions',
      'sandbox',
    ],
  },
  ThreadResumeResponse: {
    fields: [
      'thread',
      'model',
      'serviceTier',
      'reasoningEffort',
      'activePermissionProfile',
      'collaborationMode',
      'sandbox',
      'approvalsReviewer',
    ],
  },
  ThreadSampleParams: { fields: ['threadId', 'expectedTurnId', 'prompt', 'effort'] },
  ThreadSampleResponse: { fields: ['text'] },
  ThreadSettingsUpdateParams: {
    fields: [
      'threadId',
      'collaborationMode',
      'approvalPolicy',
      'approvalsReviewer',
      'sandboxPolicy',
      'permissions',
      'model',
      'effort',
      'serviceTier',
    ],
  },
  ThreadStartParams: {
    fields: [
      'model',
      'modelProvider',
      'cwd',
      'approvalPolicy',
      'sandbox',
      'config',
      'developerInstructions',
      'ephemeral',
      'environments',
    ],
  },
  ThreadStartResponse: {
    fields: ['thread', 'model', 'serviceTier', 'reasoningEffort', 'activePermissionProfile'],
  },
  ToolRequestUserInputParams: { fields: ['threadId', 'turnId'] },
  Turn: { fields: ['id', 'rootTurnId', 'status', 'error'] },
  TurnError: { fields: ['message', 'codexErrorInfo', 'additionalDetails'] },
  TurnStartParams: {
    fields: [
      'threadId',
      'clientUserMessageId',
      'input',
      'runtimeWorkspaceRoots',
      'approvalPolicy',
      'approvalsReviewer',
      'sandboxPolicy',
      'permissions',
      'model',
      'serviceTier',
      'effort',
      'summary',
      'outputSchema',
    ],
  },
  TurnPlanUpdatedNotification: { fields: ['threadId', 'turnId', 'plan'] },
  TurnSteerParams: { fields: ['threadId', 'clientUserMessageId', 'input', 'expectedTurnId'] },
  UserInput: { variants: { image: 'all', text: ['text', 'text_elements'] } },
  WebSearchItem: { fields: ['id', 'query', 'action'] },
};

/** The whole protocol as Codex writes it: type name -> declared type. */
function readProtocol(): ReadonlyMap<string, TsType> {
  const scratch = join(REPOSITORY, '.tmp');
  mkdirSync(scratch, { recursive: true });
  const folder = mkdtempSync(join(scratch, 'protocol-'));
  try {
    execFileSync(
      process.execPath,
      [join(CODEX_PACKAGE, 'bin/codex.js'), 'app-server', 'generate-ts', '--experimental', '--out', folder],
      { env: { ...process.env, CODEX_HOME: folder }, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const types = new Map<string, TsType>();
    // Of two types with one name the newer protocol's wins: `v2` comes after the older files.
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    files.sort((a, b) => depth(a) - depth(b) || a.localeCompare(b, 'en'));
    for (const file of files) {
      if (basename(file) === 'index.ts') continue;
      for (const item of parseSync(readFileSync(join(folder, file), 'utf8'), { syntax: 'typescript' }).body) {
        if (item.type !== 'ExportDeclaration' || item.declaration.type !== 'TsTypeAliasDeclaration') continue;
        types.set(item.declaration.id.value, item.declaration.typeAnnotation);
      }
    }
    return types;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const depth = (file: string): number => file.split(/[\\/]/).length;

/** Prints types and remembers which other types they name. */
class TypePrinter {
  readonly used = new Set<string>();

  declaration(name: string, type: TsType): string {
    const shape = SHAPES[name];
    if (shape !== undefined && 'variants' in shape) {
      return layOutUnion(
        Object.entries(shape.variants).map(([variant, fields]) =>
          this.#variant(name, type, shape.tag ?? 'type', variant, fields),
        ),
      );
    }
    if (shape !== undefined) return layOutObject(this.#fields(name, membersOf(type), shape.fields));
    if (type.type === 'TsTypeLiteral') return layOutObject(type.members.map((member) => this.#property(member)));
    if (type.type === 'TsUnionType') return layOutUnion(this.#union(type.types));
    return this.print(type);
  }

  print(type: TsType): string {
    switch (type.type) {
      case 'TsKeywordType':
        return type.kind;
      case 'TsLiteralType':
        if (type.literal.type === 'StringLiteral') return `'${type.literal.value}'`;
        if (type.literal.type !== 'TemplateLiteral') return String(type.literal.value);
        break;
      case 'TsArrayType':
        return `readonly ${this.#atom(type.elemType)}[]`;
      case 'TsUnionType':
        return this.#union(type.types).join(' | ');
      case 'TsIntersectionType':
        return type.types.map((member) => this.#atom(member)).join(' & ');
      case 'TsParenthesizedType':
        return this.print(type.typeAnnotation);
      case 'TsTypeLiteral':
        return `{ ${type.members.map((member) => this.#property(member)).join('; ')} }`;
      case 'TsMappedType':
        return `{ readonly [key: string]: ${type.typeAnnotation === undefined ? 'unknown' : this.print(type.typeAnnotation)} }`;
      case 'TsTypeReference': {
        if (type.typeName.type !== 'Identifier') break;
        const name = type.typeName.value;
        const [argument] = type.typeParams?.params ?? [];
        if (name === 'Array' && argument !== undefined) return `readonly ${this.#atom(argument)}[]`;
        if (name === 'Record') return 'Record<string, never>';
        if (OPAQUE.has(name)) return 'unknown';
        if (OPEN_STRINGS.has(name)) return 'string';
        this.used.add(name);
        return name;
      }
      default:
        break;
    }
    throw new Error(`Codex declares a kind of type that the printer does not know: ${type.type}`);
  }

  #fields(owner: string, members: readonly TsTypeElement[], fields: readonly string[]): readonly string[] {
    return fields.map((field) => this.#property(pick(owner, members, field)));
  }

  #variant(owner: string, type: TsType, tag: string, variant: string, fields: readonly string[] | 'all'): string {
    const match = alternatives(type).find((candidate) =>
      membersOf(candidate).some((member) => propertyName(member) === tag && propertyType(member) === `'${variant}'`),
    );
    if (match === undefined) throw new Error(`Codex no longer has the variant ${variant} of ${owner}`);
    if (fields === 'all') return this.print(match);
    return `{ ${this.#fields(`${owner}.${variant}`, membersOf(match), [tag, ...fields]).join('; ')} }`;
  }

  #property(member: TsTypeElement): string {
    if (member.type === 'TsIndexSignature') {
      return `readonly [key: string]: ${member.typeAnnotation === undefined ? 'unknown' : this.print(member.typeAnnotation.typeAnnotation)}`;
    }
    const name = propertyName(member);
    if (member.type !== 'TsPropertySignature' || name === null || member.typeAnnotation === undefined) {
      throw new Error(`Codex declares a member that the printer does not know: ${member.type}`);
    }
    return `readonly ${name}${member.optional ? '?' : ''}: ${this.print(member.typeAnnotation.typeAnnotation)}`;
  }

  /** `unknown` takes in every other member. */
  #union(types: readonly TsType[]): readonly string[] {
    const members = [...new Set(types.map((member) => this.print(member)))];
    return members.includes('unknown') ? ['unknown'] : members;
  }

  /** A type that can stand before `[]` or beside `&`. */
  #atom(type: TsType): string {
    const inner = type.type === 'TsParenthesizedType' ? type.typeAnnotation : type;
    const text = this.print(inner);
    return inner.type === 'TsUnionType' || inner.type === 'TsArrayType' || inner.type === 'TsIntersectionType'
      ? `(${text})`
      : text;
  }
}

function pick(owner: string, members: readonly TsTypeElement[], field: string): TsTypeElement {
  const found = members.find((member) => propertyName(member) === field);
  if (found === undefined) throw new Error(`Codex no longer has the field ${field} of ${owner}`);
  return found;
}

function propertyName(member: TsTypeElement): string | null {
  if (member.type !== 'TsPropertySignature') return null;
  if (member.key.type === 'Identifier' || member.key.type === 'StringLiteral') return member.key.value;
  return null;
}

function propertyType(member: TsTypeElement): string | null {
  if (member.type !== 'TsPropertySignature') return null;
  const type = member.typeAnnotation?.typeAnnotation;
  return type?.type === 'TsLiteralType' && type.literal.type === 'StringLiteral' ? `'${type.literal.value}'` : null;
}

/** Members of an object type; of an intersection those that it spells out. */
function membersOf(type: TsType): readonly TsTypeElement[] {
  if (type.type === 'TsTypeLiteral') return (type as TsTypeLiteral).members;
  if (type.type === 'TsParenthesizedType') return membersOf(type.typeAnnotation);
  if (type.type === 'TsIntersectionType') return type.types.flatMap(membersOf);
  return [];
}

/** Members of the (innermost) union. */
function alternatives(type: TsType): readonly TsType[] {
  if (type.type === 'TsParenthesizedType') return alternatives(type.typeAnnotation);
  if (type.type === 'TsUnionType') return type.types;
  if (type.type !== 'TsIntersectionType') return [type];
  return type.types.map(alternatives).find((found) => found.length > 1) ?? [type];
}

export function generate(): string {
  const protocol = readProtocol();
  const { version } = JSON.parse(readFileSync(join(CODEX_PACKAGE, 'package.json'), 'utf8')) as { version: string };
  const printed = new Map<string, string>();
  const queue = Object.values(ROOTS).flatMap((names) => names.trim().split(/\s+/));
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (printed.has(name)) continue;
    const type = protocol.get(name);
    if (type === undefined) throw new Error(`Codex ${version} has no type ${name}`);
    const printer = new TypePrinter();
    printed.set(name, printer.declaration(name, type));
    queue.push(...printer.used);
  }
  const unusedShapes = Object.keys(SHAPES).filter((name) => !printed.has(name));
  if (unusedShapes.length > 0) throw new Error(`Shapes of types that are not used: ${unusedShapes.join(', ')}`);
  const declarations = [...printed.entries()]
    .sort(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([name, text]) => `export type ${name} =${text.startsWith('\n') ? '' : ' '}${text};\n`);
  return [
    '/**',
    ` * Types of the Codex app-server protocol, generated from @openai/codex ${version} by scripts/generate-types.ts.`,
    ' * Only what the adapter uses; fields and variants that it does not read are left out, and values that it only',
    ' * passes on are `unknown`. Do not edit.',
    ' */',
    '',
    declarations.join('\n'),
  ].join('\n');
}

const LINE = 100;

/** One line when it fits, else a line per field. */
function layOutObject(fields: readonly string[]): string {
  const line = `{ ${fields.join('; ')} }`;
  return line.length <= LINE ? line : `{\n  ${fields.join(';\n  ')};\n}`;
}

/** One line when it fits, else a line per member. */
function layOutUnion(members: readonly string[]): string {
  const line = members.join(' | ');
  return line.length <= LINE ? line : `\n  | ${members.join('\n  | ')}`;
}

function main(): number {
  const wanted = generate();
  if (!process.argv.includes('--check')) {
    writeFileSync(TARGET, wanted);
    return 0;
  }
  if (readFileSync(TARGET, 'utf8') === wanted) return 0;
  process.stderr.write('protocol.generated.ts is out of date: run `npm run generate-types` and review the change.\n');
  return 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main();
