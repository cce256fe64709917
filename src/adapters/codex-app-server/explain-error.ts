import { statSync } from 'node:fs';

/** The directory that the process was started in, and whether it is still the one at its path. */
export interface WorkingDirectory {
  readonly path: string;
  /** Deleted, or another one took its place. */
  readonly replaced: () => boolean;
}

/** Remembers the working directory of this process as it is now (S1.226 rule 1). */
export function currentWorkingDirectory(path = process.cwd()): WorkingDirectory {
  const identity = identityOf(path);
  return { path, replaced: () => identity !== null && identityOf(path) !== identity };
}

function identityOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

const FEATURES = 'failed to resolve feature override precedence: ';
const CONFIGURATION = 'failed to load configuration: ';

/** Rewrites an error text of Codex by the first rule that fits (S1.226). */
export function explainError(message: string, codexHome: string | null, directory: WorkingDirectory): string {
  const aboutConfiguration = message.startsWith(FEATURES) || message.startsWith(CONFIGURATION);
  if (aboutConfiguration && message.includes('No such file or directory') && directory.replaced()) {
    return (
      `Codex cannot read its configuration: its working directory ${directory.path} was deleted or replaced ` +
      'after the agent started. Restart the agent.'
    );
  }
  const text = message.startsWith(FEATURES) ? CONFIGURATION + message.slice(FEATURES.length) : message;
  if (!text.includes('load config') || isLoginProblem(text)) return message;
  return (
    `${text}\n\nCheck ${codexHome ?? 'global'} and project .codex directories, especially their config.toml files, ` +
    'or any CODEX_CONFIG override.'
  );
}

/** Such errors end the login instead (S1.178). */
function isLoginProblem(message: string): boolean {
  return message.includes('log out') || message.includes('cloud requirements');
}
