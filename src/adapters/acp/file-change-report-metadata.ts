import type { FileChangeReport } from '../../domain/report/file-change-report.ts';

/** Says what Codex' turn diffs cannot know; AIR shows it verbatim (S3.201). */
const uncertainty =
  'Codex turn diffs may omit same-content renames and changes made outside apply_patch, including shell commands, ' +
  'version-control commands, generators, and child processes.';

/** `_meta.jetbrains.air.agentFileChangeReport` (S3.197, S11.12). */
export function fileChangeReportMetadata(report: FileChangeReport): Readonly<Record<string, unknown>> {
  const { requestId } = report;
  switch (report.type) {
    case 'reported': {
      const { paths, truncated } = report;
      return { version: 1, requestId, status: 'reported', paths, declaredComplete: false, truncated, uncertainty };
    }
    case 'unavailable':
      return { version: 1, requestId, status: 'unavailable', reason: report.reason };
  }
}
