import type { NoticeEvent } from '../thread/thread-event.ts';
import type { Notice } from './conversation-update.ts';

/** Advice of Codex as a notice, with its form for clients that know none (S4.136). */
export function noticeOf(event: NoticeEvent): Notice {
  switch (event.type) {
    case 'warning':
      return {
        severity: 'warning',
        title: orElse(event.message, 'Codex warning'),
        description: null,
        fallback: { kind: 'text', text: `Warning: ${event.message}\n\n` },
      };
    case 'configWarning': {
      const details = event.details === null ? '' : `\n\n${event.details}`;
      return {
        severity: 'warning',
        title: orElse(event.summary, 'Configuration warning'),
        description: event.details,
        fallback: { kind: 'text', text: `Config warning: ${event.summary}${details}\n\n` },
      };
    }
    case 'deprecation':
      return {
        severity: 'warning',
        title: orElse(event.summary, 'Deprecated configuration'),
        description: event.details,
        fallback: null,
      };
    case 'modelRerouted':
      return {
        severity: 'info',
        title: 'Model rerouted',
        description: `Switched from ${event.from} to ${event.to} (${event.reason}).`,
        fallback: { kind: 'thought', text: `Model rerouted from ${event.from} to ${event.to} (${event.reason}).\n\n` },
      };
  }
}

function orElse(text: string, fallback: string): string {
  return text.trim() === '' ? fallback : text;
}
