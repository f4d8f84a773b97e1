// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <memory>
#include <thread>

/// @file
/// The GIL is given and taken here alone. A thread that asks for it while the interpreter ends is unwound by CPython
/// before 3.14, through frames of C++ that cannot be unwound, which would end the process with an abort. Such a thread
/// sleeps instead until the process has ended, as from 3.14 on.
namespace warpdex::python {

namespace detail {

/// @param take asks for the GIL
template <class F> auto or_sleep(F const& take) {
  try {
    return take();
  } catch (...) {  // the unwinding of a thread, which must not go on
    while (true) std::this_thread::sleep_for(std::chrono::hours(1));
  }
}

}  // namespace detail

/// A scope without the GIL, of a thread that holds it.
class without_gil {
 public:
  without_gil() : state_(PyEval_SaveThread()) {}
  ~without_gil() {
    detail::or_sleep([this] { PyEval_RestoreThread(state_); });
  }
  without_gil(without_gil const&) = delete;
  without_gil& operator=(without_gil const&) = delete;

 private:
  PyThreadState* state_;
};

/// A scope with the GIL, of any thread.
class with_gil {
 public:
  with_gil() : state_(detail::or_sleep([] { return PyGILState_Ensure(); })) {}
  ~with_gil() { PyGILState_Release(state_); }
  with_gil(with_gil const&) = delete;
  with_gil& operator=(with_gil const&) = delete;

 private:
  PyGILState_STATE state_;
};

/// @return an owner of an object, of which any thread may be the last one
inline std::shared_ptr<void const> owner_of(nanobind::object of) {
  return {of.release().ptr(), [](void const* held) {
            with_gil const python;
            Py_DECREF(static_cast<PyObject*>(const_cast<void*>(held)));
          }};
}

}  // namespace warpdex::python
