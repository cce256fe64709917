import type { NoticeEvent } from '../../domain/thread/thread-event.ts';
import type { GlobalEvent } from '../../ports/outbound/codex-runtime.ts';
import type { GlobalNotifications, NoticeNotifications } from './protocol.ts';
import { translateRateLimit } from './translate-rate-limit.ts';

/** Advice of Codex in the core's words; `null` when it says nothing. */
export const NOTICE_TRANSLATIONS: {
  readonly [M in keyof NoticeNotifications]: (params: NoticeNotifications[M]) => NoticeEvent | null;
} = {
  warning: ({ message }) => (typeof message === 'string' ? { type: 'warning', message } : null),
  configWarning: ({ summary, details }) =>
    typeof summary === 'string' ? { type: 'configWarning', summary, details: details ?? null } : null,
  deprecationNotice: ({ summary, details }) =>
    typeof summary === 'string' ? { type: 'deprecation', summary, details: details ?? null } : null,
};

const TRANSLATIONS: {
  readonly [M in keyof GlobalNotifications]: (params: GlobalNotifications[M]) => GlobalEvent | null;
} = {
  ...NOTICE_TRANSLATIONS,
  'account/updated': ({ authMode, planType, reason }) => ({
    type: 'accountChanged',
    authMode: authMode ?? null,
    planType: planType ?? null,
    reason: reason ?? null,
  }),
  'account/rateLimits/updated': ({ rateLimits }) => {
    const limit = translateRateLimit(rateLimits);
    return limit === null ? null : { type: 'rateLimitsChanged', limit };
  },
  'skills/changed': () => ({ type: 'skillsChanged' }),
  // Heard by those who wait for a login of theirs (S1.156).
  'account/login/completed': () => null,
};

/** Notifications that belong to no thread, by method (S3.183). */
export const GLOBAL_TRANSLATIONS: ReadonlyMap<string, (params: unknown) => GlobalEvent | null> = new Map(
  Object.entries(TRANSLATIONS as Readonly<Record<string, (params: unknown) => GlobalEvent | null>>),
);
