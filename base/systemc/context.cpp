#include "base/systemc/context.h"

#include <systemc>

#include "base/error.h"
#include "base/systemc/time.h"

namespace trn {

namespace {

void use(sc_core::sc_simcontext* context) {
  sc_core::sc_curr_simcontext = context;
  sc_core::sc_default_global_context = context;
}

}  // namespace

ScopedContext::ScopedContext() : first_(sc_core::sc_get_curr_simcontext()) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
  use(new sc_core::sc_simcontext);
}

ScopedContext::~ScopedContext() {
  delete sc_core::sc_curr_simcontext;
  use(first_);
}

void run_to_quiescence() {
  try {
    sc_core::sc_start();
  } catch (const sc_core::sc_report& report) {
    throw InternalError(std::string(report.get_msg()) + " at " + std::to_string(now().count()) + " ps");
  }
}

}  // namespace trn
