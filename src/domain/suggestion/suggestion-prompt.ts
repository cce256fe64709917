/** Longest suggestion that is shown, in UTF-16 units (S3.195). */
export const longestSuggestion = 240;

/** What the model is asked after a finished turn (S3.194). */
export const suggestionPrompt = `Predict what the user will most likely ask for next in this conversation.

Rules:
- Write it as the user would: a short request to you in the user's own language and tone.
- One line of plain text, best below 12 words, never more than ${longestSuggestion} characters.
- It must be the obvious next step of this work: something that was left open, offered or asked about. Do not repeat
  what is done already, do not thank, and do not invent new topics.
- When no next step stands out, suggest nothing.
- Use no tools and do no work now.

Reply with JSON only: {"suggestion": "<text>"} or {"suggestion": null}`;
