;; One session of dap-mode, set up as `dap-dotnet config` prints it.  -*- lexical-binding: t -*-
;; A breakpoint, a look at the stack, a step, on to the end.  Environment: SETUP (what `config` prints), PROGRAM, SOURCE, LINE,
;; RESULT (a file for what was seen, as JSON).
(package-initialize)
(require 'json)
(require 'dap-mode)
(require 'dap-ui)

(defvar seen-stops nil)
(defvar seen-output "")
(defvar finished nil)

(setq dap-auto-show-output nil
      dap-print-io nil
      lsp-session-file (concat (getenv "RESULT") ".session")
      dap-breakpoints-file (concat (getenv "RESULT") ".breakpoints"))

(load-file (getenv "SETUP"))

(add-hook 'dap-stopped-hook
          (lambda (session)
            (let ((thread (dap--debug-session-thread-id session)))
              (dap--send-message
               (dap--make-request "stackTrace" (list :threadId thread))
               (dap--resp-handler
                (lambda (response)
                  (let* ((frame (elt (gethash "stackFrames" (gethash "body" response)) 0)))
                    (push (list :line (gethash "line" frame)) seen-stops)
                    (if (= (length seen-stops) 1)
                        (dap-next session)
                      (dap-continue session thread)))))
               session))))

(add-hook 'dap-terminated-hook (lambda (_session) (setq finished t)))

(find-file (getenv "SOURCE"))
(goto-char (point-min))
(forward-line (1- (string-to-number (getenv "LINE"))))
(dap-breakpoint-add)
(dap-debug (list :type "dap-dotnet" :request "launch" :name "launch"
                 :program (getenv "PROGRAM") :args ["3"]
                 :cwd (file-name-directory (getenv "PROGRAM"))))

(let ((deadline (+ (float-time) 30)))
  (while (and (not finished) (< (float-time) deadline))
    (accept-process-output nil 0.05)))

(with-temp-file (getenv "RESULT")
  (insert (json-encode (list :finished (if finished t :json-false) :stops (vconcat (reverse seen-stops))))))
(kill-emacs 0)
